//! The strategies, a file each.

mod cfg;
mod cfg_pool;
mod dfs;
mod extension;
mod generational;
mod nearest;
mod random;
mod random_branch;
mod random_leaf;
mod uniform;

pub use cfg::CfgDirected;
pub use cfg_pool::CfgPool;
pub use dfs::BoundedDfs;
pub use extension::Extension;
pub use generational::Generational;
pub use nearest::Nearest;
pub use random::Random;
pub use random_branch::RandomBranch;
pub use random_leaf::RandomLeaf;
pub use uniform::UniformRandom;
