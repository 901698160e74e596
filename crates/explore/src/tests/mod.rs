mod complete;
mod directed;
mod graph;
mod quota;
mod sampling;
mod strategies;
mod tree;
