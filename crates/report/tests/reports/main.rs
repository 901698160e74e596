//! Reports of examples, as text and in a browser.

#[path = "../example/mod.rs"]
mod example;
mod html;
mod obligations;
mod text;
