mod complete;
mod directed;
mod graph;
mod sampling;
mod strategies;
mod tree;
