//! Dependence sets: the examples of the thesis and the checklist of its digest, and properties on random flow graphs.

mod bounds;
mod examples;
mod fitness;
mod loops;
mod properties;
mod subject;
