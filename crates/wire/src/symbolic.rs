//! The contract between symbolically instrumented code and the runtime in the worker.
//!
//! The symbolic object is a second shared object beside the target image. It holds a twin of every function and
//! uses the variables, the tick counter and the runtime table of the image. Beside every value, twins carry its
//! *shadow*: a `u32`, 0 for a value that does not depend on the input, else the number of a term in the run's log.
//!
//! It exports
//! - [`TABLE`]: `ptr[SymbolicSlot::COUNT]`, filled in by the worker,
//! - [`TWINS`]: pairs of pointers `(function in the image, its twin)`, ended by a null,
//! - [`CALLEE`], [`ARGUMENTS`], [`COPIES`], [`RESULTS`]: how shadows pass from caller to callee and back,
//! - for every twin a trampoline like those of the image.
//!
//! **Calls.** The caller stores the shadows of the arguments, then the callee's address in [`CALLEE`]. A callee that
//! finds its own address there takes them; otherwise code without shadows called it and they are stale. Before it
//! returns, it stores the shadow of its result and its address again.
//!
//! **Memory.** Shadows of bytes lie in two tables indexed by address, of which only the low [`WINDOW_BITS`] count.
//! [`SUMMARY`] has a byte for every 16 bytes of memory: how many of them depend on the input. Twins look only there.

use serde::{Deserialize, Serialize};

/// A place in the source where precision may be lost; runtime calls name it by its index.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct LossSite {
    /// Source file as the compiler names it; empty if unknown.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
    /// What happens there: a called function, or a kind of instruction.
    pub what: String,
}

/// Name of the table of runtime functions.
pub const TABLE: &str = "bw_symbolic";
/// Name of the list of twins.
pub const TWINS: &str = "bw_twins";
/// Name of the `ptr` that says whom the argument shadows, or whose the result shadows are.
pub const CALLEE: &str = "bw_callee";
/// Name of the `u32[MOST_ARGUMENTS]` of argument shadows.
pub const ARGUMENTS: &str = "bw_arguments";
/// Name of the `ptr[MOST_ARGUMENTS]` of where arguments that are copied to the callee's frame come from.
pub const COPIES: &str = "bw_copies";
/// Name of the `u32[MOST_RESULTS]` of result shadows.
pub const RESULTS: &str = "bw_results";
/// Name of the `u64[2 + 2 * MOST_REST]` of arguments behind `...`: how many are listed, bytes of them on the stack, then
/// pairs of what [`Rest::describe`] gives and the shadow or the address.
pub const REST: &str = "bw_rest";
/// What a twin's name ends in.
pub const TWIN_SUFFIX: &str = ".bwsym";

/// The branch id of decisions that no goal belongs to.
pub const ANONYMOUS: u32 = !crate::abi::INVERTED;

/// In the table of a switch, ways from this number on are no branches.
pub const UNNAMED_WAYS: u64 = 1 << 32;

/// Arguments with shadows; further ones count as independent of the input.
pub const MOST_ARGUMENTS: usize = 64;
/// Arguments behind `...` with shadows.
pub const MOST_REST: usize = 64;
/// Bytes of a `va_list`: two offsets, the stack's area, the saved registers.
pub const LIST_BYTES: u64 = 24;
/// Bytes of the area where a function saves the argument registers.
pub const SAVED_BYTES: u64 = 176;
/// Parts of a result with shadows.
pub const MOST_RESULTS: usize = 8;

/// Bits of an address that choose its shadow. The worker sees to it that no two areas that matter share them.
pub const WINDOW_BITS: u32 = 40;
/// Where the summary begins.
pub const SUMMARY: usize = 0x2800_0000_0000;
/// Bytes of memory, as a power of two, that one byte of the summary stands for.
pub const SUMMARY_SHIFT: u32 = 4;

macro_rules! slots {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Entries of the table in order.
        ///
        /// `operation` packs what a term needs to know: the code of its `expr::Op`, its width in bits 8–15, the
        /// width of the first operand in bits 16–23, the lowest bit of an extract in bits 24–31. Operands come as
        /// shadow and number; the number matters where the shadow is 0.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum SymbolicSlot { $($(#[$doc])* $name),* }

        impl SymbolicSlot {
            /// All slots in table order.
            pub const ALL: &'static [SymbolicSlot] = &[$(SymbolicSlot::$name),*];
            /// Number of slots.
            pub const COUNT: usize = SymbolicSlot::ALL.len();
        }
    };
}

/// The tables of the C library that its macros look characters up in, as the twins have them, and their bytes.
pub const LIBRARY_TABLES: [(&str, usize); 3] =
    [("bw_classes", 384 * 2), ("bw_lower", 384 * 4), ("bw_upper", 384 * 4)];

slots! {
    /// `(u32 operation, u32 sa) -> u32`.
    Unary,
    /// `(u32 operation, u32 sa, u32 sb, u64 a, u64 b) -> u32`.
    Binary,
    /// `(u32 operation, u32 sa, u32 sb, u128 a, u128 b) -> u32`.
    Binary128,
    /// `(u32 operation, u32 sa, u32 sb, u32 sc, u64 a, u64 b, u64 c) -> u32`: three operands.
    Ternary,
    /// `(u32 predicate | width << 8, u32 sa, u32 sb, u64 a, u64 b) -> u32`: LLVM's integer predicates.
    Compare,
    /// The same with `u128` operands.
    Compare128,
    /// The same with LLVM's floating-point predicates and the operands' bits.
    CompareFloat,
    /// `(u32 sbase, u32 sindex, u64 base, u64 index, u64 scale, u32 width) -> u32`: `base + index * scale`, the
    /// index sign-extended from `width` bits.
    Index,
    /// `(ptr address, u32 saddress, u32 access, u32 width, u32 site) -> u32`: the value about to be loaded; `access` is
    /// what [`Access::describe`] gives.
    Load,
    /// `(ptr address, u32 saddress, u32 access)`: a value is about to be stored at an address of the input.
    BeforeStore,
    /// `(ptr address, u32 saddress, u32 access, u32 svalue, u32 width, u32 site)`: the value just stored.
    Store,
    /// `(ptr to, ptr from, u64 bytes)`: bytes that were, or are about to be, copied.
    Copy,
    /// `(ptr to, u32 svalue, u64 bytes)`: bytes that were set to one value.
    Fill,
    /// `(ptr address, u32 saddress, u64 bytes, u32 sbytes, u32 site, u32 pinned)`: so many bytes from there on are about to
    /// be read or written; `pinned` is the site if that is taken as numbers.
    Extent,
    /// `(u32 branch, u32 scondition, u32 outcome)`: a decision; the id may be inverted as for probes.
    Branch,
    /// `(const u64 *table, u64 value, u32 svalue, u32 width)`: a switch; the table is that of the probe, or one of
    /// [`UNNAMED_WAYS`].
    Switch,
    /// `(u32 shadow, u64 value, u32 width, u32 site)`: the run used this value as a number.
    Pin,
    /// `(u32 any, u32 site)`: precision was lost there if any of the shadows or-ed together is set.
    Lose,
    /// `(ptr function) -> ptr`: its twin, or itself.
    Twin,
    /// `(u32 kind, u32 sa, u64 a, u32 width) -> u32`: the intrinsics of [`Intrinsic`].
    Intrinsic,
    /// `(ptr object, u64 bytes, ptr frame)`: a local object of the frame begins to live.
    Local,
    /// `(ptr block, u64 bytes)`: a block of the heap begins to live.
    Block,
    /// `(ptr string) -> u64`: bytes from there to the end of the object, or of a string that does not depend on the
    /// input; 0 if neither is known.
    Room,
    /// `(ptr, u64 size) -> u32`: what [`crate::abi::Slot::Elements`] said; the length of an object is a variable.
    Elements,
    /// `(const va_list *list, const u64 *rest, u32 mine)`: a function with `...` begins; `rest` is its caller's if
    /// `mine`.
    Rest,
    /// `(const char *format, const va_list *list)`: a function of the C library is about to print what the list has.
    Print,
}

/// Where an argument behind `...` lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Rest {
    /// Among the saved registers.
    Saved,
    /// On the stack.
    Stack,
    /// On the stack, copied from an address.
    Copy,
}

impl Rest {
    /// Packs the place with the size and the offset there, all in bytes.
    #[must_use]
    pub const fn describe(self, bytes: u64, offset: u64) -> u64 {
        self as u64 | (bytes & 0xff_ffff) << 8 | offset << 32
    }

    /// The parts again.
    #[must_use]
    pub const fn read(described: u64) -> (Rest, usize, usize) {
        let place = match described & 0xff {
            0 => Rest::Saved,
            1 => Rest::Stack,
            _ => Rest::Copy,
        };
        (place, (described >> 8 & 0xff_ffff) as usize, (described >> 32) as usize)
    }
}

/// What a load or a store takes memory for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Access {
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A pointer.
    Pointer,
}

impl Access {
    /// All of them.
    pub const ALL: [Access; 3] = [Access::Integer, Access::Float, Access::Pointer];

    /// Packs it with the number of bytes.
    #[must_use]
    pub const fn describe(self, bytes: u32) -> u32 {
        bytes & 0xff_ffff | (self as u32) << 24
    }

    /// The parts again: what [`Access::ALL`] has at an index, and the bytes.
    #[must_use]
    pub const fn read(described: u32) -> (u32, u32) {
        (described >> 24, described & 0xff_ffff)
    }
}

/// Functions of one operand that are not one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Intrinsic {
    /// Bytes in reverse order.
    ByteSwap,
    /// Number of set bits.
    PopulationCount,
    /// Zeros above the highest set bit.
    LeadingZeros,
    /// Zeros below the lowest set bit.
    TrailingZeros,
    /// Bits in reverse order.
    BitReverse,
    /// Absolute value, wrapping.
    Absolute,
}

impl Intrinsic {
    /// All of them.
    pub const ALL: [Intrinsic; 6] = [
        Intrinsic::ByteSwap,
        Intrinsic::PopulationCount,
        Intrinsic::LeadingZeros,
        Intrinsic::TrailingZeros,
        Intrinsic::BitReverse,
        Intrinsic::Absolute,
    ];
}

/// Packs the parts of an operation.
#[must_use]
pub const fn operation(op: u8, width: u32, operand_width: u32, extra: u32) -> u32 {
    op as u32 | width << 8 | operand_width << 16 | extra << 24
}
