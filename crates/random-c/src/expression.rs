//! Random expressions. None has undefined behaviour but overflow, wide shifts and divisions by zero.

use crate::scope::Scope;
use crate::types::{AGGREGATES, INT, LONG, Scalar, UNSIGNED, WORD};

const INTEGERS: [&str; 18] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "10",
    "31",
    "100",
    "-128",
    "255",
    "256",
    "65535",
    "1000003",
    "0x7fffffff",
    "(-0x7fffffff - 1)",
    "0x80000000u",
    "0x7fffffffffffffffL",
    "0xdeadbeefcafebabeUL",
];
const FLOATS: [&str; 12] =
    ["0.0", "-0.0", "1.0", "0.1f", "-2.5", "0.5", "3e9", "1e300", "1e-310", "16777217.0", "INFINITY", "NAN"];
const SMALL_BUFFER: [&str; 4] = ["\"12\"", "\"ab\"", "\"monkeys\"", "(const char *)text + 3"];

impl Scope {
    /// An integer of whatever type.
    pub(crate) fn integer(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.integer_atom();
        }
        match self.rng.u8(..24) {
            0..4 => self.integer_atom(),
            4..8 => {
                let operator = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.integer(depth - 1), self.integer(depth - 1))
            }
            8 | 9 => self.condition(depth - 1),
            10 => self.choice(depth - 1),
            11 | 12 => self.shift(depth - 1),
            13 | 14 => self.division(depth - 1),
            15 | 16 => {
                let ty = Scalar::integer(&mut self.rng);
                let number = self.integer(depth - 1);
                format!("({})({number})", ty.spelling())
            }
            17 => {
                let operator = self.pick(&["-", "~", "!", "+"]);
                format!("{operator}({})", self.integer(depth - 1))
            }
            18 => self.builtin(depth - 1),
            19 => self.overflow(depth - 1),
            20 => self.call(depth - 1),
            21 => self.library_call(depth - 1),
            22 => self.aggregate_call(depth - 1),
            _ => {
                let ty = Scalar::integer(&mut self.rng);
                let number = self.float(depth - 1);
                truncated(&number, ty)
            }
        }
    }

    fn integer_atom(&mut self) -> String {
        if self.once_in(4) {
            return self.pick(&INTEGERS).to_owned();
        }
        self.variable()
    }

    /// A variable as an integer.
    fn variable(&mut self) -> String {
        match (self.place(0), self.place(0)) {
            ((name, ty), _) | (_, (name, ty)) if !ty.is_float() => name,
            ((name, _), _) => truncated(&name, INT),
        }
    }

    /// Something of this type.
    pub(crate) fn value(&mut self, ty: Scalar, depth: u32) -> String {
        match ty {
            Scalar::Float | Scalar::Double => format!("({})({})", ty.spelling(), self.float(depth)),
            _ if self.once_in(6) => truncated(&self.float(depth), ty),
            _ => format!("({})({})", ty.spelling(), self.integer(depth)),
        }
    }

    /// Truth.
    pub(crate) fn condition(&mut self, depth: u32) -> String {
        let operator = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.rng.u8(..10) {
            0..4 => format!("({} {operator} {})", self.integer(depth), self.integer(depth)),
            4..6 => format!("({} {operator} {})", self.float(depth), self.float(depth)),
            6 if depth > 0 => {
                let operator = self.pick(&["&&", "||"]);
                format!("({} {operator} {})", self.condition(depth - 1), self.condition(depth - 1))
            }
            7 => format!("!({})", self.integer(depth)),
            8 => {
                let test = self.pick(&["isnan", "isinf", "isfinite", "isnormal", "!"]);
                format!("{test}({})", self.float(depth))
            }
            _ => format!("({} {operator} {})", self.integer(depth), self.pick(&INTEGERS)),
        }
    }

    fn choice(&mut self, depth: u32) -> String {
        format!("({} ? {} : {})", self.condition(depth), self.integer(depth), self.integer(depth))
    }

    /// Shifts of `_BitInt`s must be in range: the hardware has no say.
    fn shift(&mut self, depth: u32) -> String {
        let operator = self.pick(&["<<", ">>"]);
        let ty = Scalar::integer(&mut self.rng);
        let (number, amount) = (self.value(ty, depth), self.integer(depth));
        match ty {
            Scalar::Bit(bits, _) => format!("({number} {operator} ((unsigned)({amount}) % {bits}u))"),
            _ if self.once_in(3) => format!("({number} {operator} {})", self.rng.u32(..31)),
            // Of two constants clang itself makes nonsense.
            _ => format!("({number} {operator} (int)({}))", self.variable()),
        }
    }

    /// By zero now and then; the lowest number by −1 only where the hardware decides.
    fn division(&mut self, depth: u32) -> String {
        let operator = self.pick(&["/", "%"]);
        let ty = Scalar::integer(&mut self.rng);
        let spelling = ty.spelling();
        let divisor = format!("({spelling})({})", self.variable());
        let faults = !matches!(ty, Scalar::Bit(..) | Scalar::Named(_, 128, _)) && self.once_in(8);
        let dividend =
            format!("({spelling})({})", if faults { self.variable() } else { self.integer(depth) });
        // Even without optimisation, clang knows what `x / x` is.
        if faults && dividend != divisor {
            // Nor does it divide where nobody needs the bits of the result.
            format!("needed({dividend} {operator} {divisor})")
        } else {
            format!("({divisor} > 0 ? {dividend} {operator} {divisor} : 5)")
        }
    }

    fn builtin(&mut self, depth: u32) -> String {
        let number = self.integer(depth);
        match self.rng.u8(..14) {
            0 => format!("__builtin_popcount((unsigned)({number}))"),
            1 => format!("__builtin_popcountll((unsigned long)({number}))"),
            2 => format!("__builtin_clz((unsigned)({number}) | 1)"),
            3 => format!("__builtin_clzl((unsigned long)({number}) | 1)"),
            4 => format!("__builtin_ctz((unsigned)({number}) | 0x80000000u)"),
            5 => format!("__builtin_bswap32((unsigned)({number}))"),
            6 => format!("__builtin_bswap16((unsigned short)({number}))"),
            7 => format!("__builtin_bswap64((unsigned long)({number}))"),
            8 => format!("__builtin_bitreverse32((unsigned)({number}))"),
            9 => format!("abs((int)({number}))"),
            10 => format!("__builtin_parity((unsigned)({number}))"),
            11 => {
                format!("__builtin_rotateright64((unsigned long)({number}), (unsigned)({}))", self.variable())
            }
            12 => {
                format!("__builtin_rotateleft8((unsigned char)({number}), (unsigned)({}))", self.variable())
            }
            _ => format!("__builtin_rotateleft32((unsigned)({number}), {})", self.rng.u32(1..31)),
        }
    }

    fn overflow(&mut self, depth: u32) -> String {
        let operation = self.pick(&["add", "sub", "mul"]);
        let types = [
            INT,
            UNSIGNED,
            LONG,
            WORD,
            Scalar::Named("short", 16, true),
            Scalar::Named("unsigned char", 8, false),
        ];
        let wide = Scalar::Named("__int128", 128, true);
        let natural = Scalar::Named("unsigned __int128", 128, false);
        let [a, b, to] = match self.rng.u8(..8) {
            0 => [wide; 3],
            1 => [natural; 3],
            _ => [(); 3].map(|()| self.pick(&types)),
        };
        let (x, y) = (self.value(a, depth), self.value(b, depth));
        let to = to.spelling();
        format!("({{ {to} r; int o = __builtin_{operation}_overflow({x}, {y}, &r); o ? 3 : (int)r; }})")
    }

    /// A call of code of the program.
    fn call(&mut self, depth: u32) -> String {
        let (a, b) = (self.value(INT, depth), self.value(INT, depth));
        match self.rng.u8(..7) {
            0 => format!("power((unsigned long)({a}), (unsigned)({b}))"),
            1 => format!("table[({}) & 3]({a}, {b})", self.integer(depth)),
            2 => {
                let function = self.pick(&["add", "larger", "parity", "count", "0"]);
                format!("apply({function}, {a}, {b})")
            }
            3 | 4 => self.variadic_call(depth),
            _ => {
                let callees = self.callees.clone();
                if callees.is_empty() {
                    return a;
                }
                let callee = self.pick(&callees);
                let arguments: Vec<String> =
                    callee.parameters.iter().map(|&ty| self.value(ty, depth)).collect();
                let call = format!("{}({})", callee.name, arguments.join(", "));
                if callee.result.is_float() { truncated(&call, INT) } else { call }
            }
        }
    }

    /// The kinds of the arguments come first.
    fn variadic_call(&mut self, depth: u32) -> String {
        let mut kinds = String::new();
        let mut arguments = String::new();
        for i in 0..self.rng.usize(..12) {
            // Clang and its code generator disagree on where a later 128-bit integer goes.
            let kind = match self.rng.u8(..9) {
                0 if i == 0 => 'w',
                _ => self.pick(&['i', 'i', 'l', 'd', 'd', 'p', 's', 'L']),
            };
            let seed = self.integer(0);
            let argument = match kind {
                'i' => self.value(INT, depth),
                'l' => self.value(LONG, depth),
                'd' => self.value(Scalar::Double, depth),
                'w' => format!("(__int128)({seed})"),
                'p' => format!("make_pair((unsigned long)({seed}))"),
                's' => format!("make_small((unsigned long)({seed}))"),
                _ => format!("make_large((unsigned long)({seed}))"),
            };
            kinds.push(kind);
            arguments.push_str(", ");
            arguments.push_str(&argument);
        }
        format!("total(\"{kinds}\"{arguments})")
    }

    /// A call of the C library. Only what the standard says of a result is used.
    fn library_call(&mut self, depth: u32) -> String {
        let other = self.pick(&SMALL_BUFFER);
        let letter = format!("(unsigned char)({})", self.integer(depth));
        let sign = self.pick(&["< 0", "> 0", "== 0"]);
        match self.rng.u8(..15) {
            0 => "strlen(text)".to_owned(),
            1 => format!("(strcmp(text, {other}) {sign})"),
            2 => format!("(strncmp(text, {other}, 2) {sign})"),
            3 => format!("(memcmp(text + 1, data, 4) {sign})"),
            4 => "atoi(text)".to_owned(),
            5 => format!("strtol(text, 0, {})", self.pick(&["0", "8", "10", "16", "36"])),
            6 => "strtoul(text, 0, 0)".to_owned(),
            7 => format!("({{ char *found = strchr(text, {letter}); found ? found - text : -1; }})"),
            8 => "strspn(text, \"0123456789\")".to_owned(),
            9 => format!("(strstr(text, {other}) != 0)"),
            10 => format!("({{ char *found = memchr(data, {letter}, 9); found ? *found : 300; }})"),
            11 => format!(
                "({}({letter}) != 0)",
                self.pick(&["isdigit", "isalnum", "isspace", "ispunct", "isupper"])
            ),
            12 => format!("{}({letter})", self.pick(&["toupper", "tolower"])),
            13 => format!("strnlen(text, (unsigned)({letter}) % 9u)"),
            _ => "word(text)".to_owned(),
        }
    }

    /// A member of what a function of the prelude returns.
    fn aggregate_call(&mut self, depth: u32) -> String {
        let kind = self.rng.usize(..AGGREGATES.len());
        let (call, kind) = self.aggregate(kind, depth);
        let (member, ty) = self.pick(AGGREGATES[kind].members);
        let member = format!("{call}.{member}");
        if ty.is_float() { truncated(&member, INT) } else { member }
    }

    /// A value of an aggregate type.
    pub(crate) fn aggregate(&mut self, kind: usize, depth: u32) -> (String, usize) {
        let known: Vec<String> =
            self.aggregates.iter().filter(|(_, k)| *k == kind).map(|(name, _)| name.clone()).collect();
        let value = if known.is_empty() || self.once_in(3) {
            format!("make_{}((unsigned long)({}))", AGGREGATES[kind].name, self.integer(depth))
        } else {
            self.pick(&known)
        };
        let turned = match (AGGREGATES[kind].name, known.first()) {
            ("pair", _) => format!("swapped({value})"),
            ("mixed", _) => format!("blended({value}, (float)({}))", self.float(depth)),
            ("small", _) => format!("stepped({value})"),
            ("large", _) => format!("turned({value}, (int)({}))", self.integer(depth)),
            ("bits", Some(known)) => format!("raised(&{known})"),
            _ => value,
        };
        (turned, kind)
    }

    /// A `float` or `double`.
    pub(crate) fn float(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.float_atom();
        }
        match self.rng.u8(..12) {
            0 | 1 => self.float_atom(),
            2..5 => {
                let operator = self.pick(&["+", "-", "*", "/"]);
                format!("({} {operator} {})", self.float(depth - 1), self.float(depth - 1))
            }
            5 => format!("-({})", self.float(depth - 1)),
            6 => format!("(float)({})", self.float(depth - 1)),
            7 => format!(
                "({} ? {} : {})",
                self.condition(depth - 1),
                self.float(depth - 1),
                self.float(depth - 1)
            ),
            8 => format!("fma({}, {}, {})", self.float(depth - 1), self.float(depth - 1), self.float_atom()),
            9 => format!("copysign({}, tidy({}))", self.float(depth - 1), self.float_atom()),
            _ => {
                let functions = [
                    "fabs",
                    "sqrt",
                    "floor",
                    "ceil",
                    "trunc",
                    "rint",
                    "nearbyint",
                    "round",
                    "fabsf",
                    "sqrtf",
                    "floorf",
                    "tidy",
                ];
                format!("{}({})", self.pick(&functions), self.float(depth - 1))
            }
        }
    }

    fn float_atom(&mut self) -> String {
        match self.rng.u8(..4) {
            0 => self.pick(&FLOATS).to_owned(),
            1 => format!("({})({})", self.pick(&["float", "double"]), self.integer(0)),
            _ => match self.place(0) {
                (name, ty) if ty.is_float() => name,
                (name, _) => format!("(double)({name})"),
            },
        }
    }
}

/// A floating-point number as an integer, 0 if the type cannot hold it.
pub(crate) fn truncated(number: &str, ty: Scalar) -> String {
    if ty == Scalar::Named("_Bool", 1, false) {
        return format!("(_Bool)({number})");
    }
    let (bits, signed) = ty.shape();
    let below = 2f64.powi(bits as i32 - i32::from(signed));
    let above = if signed { -below } else { -1.0 };
    format!("({})clamp({number}, {above:e}, {below:e})", ty.spelling())
}
