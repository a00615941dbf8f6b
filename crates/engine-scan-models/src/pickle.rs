//! Serialised Python objects, interpreted as an inert machine: what they would import and call, without doing it.
//!
//! The machine keeps names, and what is needed to follow how names are put together: strings, small tuples, calls of
//! `getattr` and of the import functions. Everything else is one opaque value. Its memory has fixed limits.

use std::collections::BTreeMap;

use engine_model::{ModelFileProblemKind, ModelImportKind};

use crate::imports;
use crate::source::{Budget, Part, Stream};

mod text;
mod trace;

use text::{dtype, line, number, quoted, unescape};
pub(crate) use trace::Trace;

/// Values on the stack.
const STACK_MAX: usize = 512 * 1024;
/// Values that are remembered by number, counted from zero.
const MEMO_MAX: usize = 1024 * 1024;
/// Values that are remembered under numbers beyond the ones in order.
const SPARSE_MAX: usize = 64 * 1024;
/// A longer string is no name.
const NAME_BYTES_MAX: usize = 512;
/// Bytes of all strings that are kept.
const TEXT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Tuples, lists and dictionaries that are kept at one time, and values of each.
const GROUPS: usize = 4096;
const GROUP_MAX: usize = 24;
/// Names that are told apart in one file.
const IMPORTS_MAX: usize = 4096;
/// A line of a textual opcode.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Streams one after the other in one file.
const PICKLES_MAX: u32 = 100_000;
/// Streams inside one another: arrays of objects.
const NESTING_MAX: u32 = 8;
/// Bytes of a stream that stands as a value in another one and is followed; weights behind it are not needed.
const INNER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of all such streams of a file.
const INNER_BYTES_TOTAL_MAX: usize = 4 * 1024 * 1024;
/// What loads a stream that is given to it as bytes: a tensor that was serialised without its library.
const LOADS_BYTES: &str = "torch.storage._load_from_bytes";
/// Streams at the start of a file of the oldest format of `PyTorch`, whatever they begin with.
const HEAD_PICKLES: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Mark,
    /// Nothing that matters.
    Other,
    /// A value that was not kept because a limit was reached.
    Missing,
    Int(i32),
    /// Text that is known.
    Text(u32),
    /// Text that was computed and is not known.
    Computed,
    /// Something that was imported.
    Global(u32),
    /// What a call of something imported gave.
    Object(u32),
    /// A tuple, list or dictionary.
    Group(u32),
    /// A type of array elements: bytes of each; none for objects.
    Dtype(Option<u16>),
    /// Bytes that are a stream of their own.
    Inner(u32),
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its own last opcode.
    Stop,
    /// In the middle.
    Truncated,
    /// With something that is no opcode, or that asks for values that are not there.
    Invalid,
    /// A limit was reached.
    Limit,
}

/// Whether a stream of a protocol with a header could begin here.
pub(crate) fn has_header(head: &[u8]) -> bool {
    matches!(head, [0x80, protocol, opcode, ..] if *protocol <= 5 && is_opcode(*opcode))
        || matches!(head, [0x80, 0..=5])
}

/// Whether a stream without a header could begin here.
pub(crate) fn may_begin(head: &[u8]) -> bool {
    match head {
        [b'c', next, ..] => next.is_ascii_alphabetic() || *next == b'_',
        [
            b'(' | b']' | b'}' | b')' | b'N' | b'K' | b'M' | b'J' | b'X' | b'U' | b'T',
            next,
            ..,
        ] => is_opcode(*next) || *next < 0x80,
        [b'S' | b'V' | b'I' | b'L' | b'F', ..] => true,
        _ => false,
    }
}

fn is_opcode(byte: u8) -> bool {
    b"(.012FIJKLMNPQRSTUVXabcde}ghi]jlopqrst)uGBC".contains(&byte) || (0x80..=0x98).contains(&byte)
}

/// Follows all streams from here on; the end is that of the first one.
pub(crate) fn trace(stream: &mut Stream<'_>, trace: &mut Trace) -> End {
    trace_at(stream, trace, 0)
}

fn trace_at(stream: &mut Stream<'_>, trace: &mut Trace, depth: u32) -> End {
    let mut first = None;
    let mut pickles = 0;
    while trace.pickles < PICKLES_MAX {
        let end = Machine::new(trace).run(stream, depth);
        first.get_or_insert(end);
        if end != End::Stop {
            break;
        }
        pickles += 1;
        trace.pickles += 1;
        // Weights may follow, and padding; only what begins like another stream is one.
        let begins = |byte: u8| byte == 0x80 || may_begin(&[byte, b'a']) || pickles < HEAD_PICKLES && is_opcode(byte);
        if !stream.peek().is_some_and(begins) {
            break;
        }
    }
    first.unwrap_or(End::Limit)
}

struct Machine<'a> {
    trace: &'a mut Trace,
    stack: Vec<Value>,
    memo: Vec<Value>,
    sparse: BTreeMap<u32, Value>,
    memoized: u32,
    texts: Vec<Box<str>>,
    text_bytes: usize,
    groups: Vec<(u32, Vec<Value>)>,
    next_group: u32,
    inner: Vec<Vec<u8>>,
    depth: u32,
}

/// Why the machine stops.
type Halt = Result<(), End>;

impl<'a> Machine<'a> {
    fn new(trace: &'a mut Trace) -> Self {
        Self {
            trace,
            stack: Vec::new(),
            memo: Vec::new(),
            sparse: BTreeMap::new(),
            memoized: 0,
            texts: Vec::new(),
            text_bytes: 0,
            groups: Vec::new(),
            next_group: 0,
            inner: Vec::new(),
            depth: 0,
        }
    }

    fn run(mut self, stream: &mut Stream<'_>, depth: u32) -> End {
        self.depth = depth;
        loop {
            let Some(opcode) = stream.byte() else {
                return if stream.ran_out() { End::Limit } else { End::Truncated };
            };
            self.trace.opcodes += 1;
            if opcode == b'.' {
                return if self.stack.is_empty() { End::Invalid } else { End::Stop };
            }
            match self.step(opcode, stream, depth) {
                None => return if stream.ran_out() { End::Limit } else { End::Truncated },
                Some(Err(end)) => return end,
                Some(Ok(())) => {}
            }
        }
    }

    /// One opcode; `None` when the stream ends inside it.
    fn step(&mut self, opcode: u8, stream: &mut Stream<'_>, depth: u32) -> Option<Halt> {
        Some(match opcode {
            b'(' => self.push(Value::Mark),
            b'0' => self.stack.pop().map(|_| ()).ok_or(End::Invalid),
            b'1' => self.pop_mark().map(|_| ()),
            b'2' => match self.stack.last().copied() {
                Some(top) => self.push(top),
                None => Err(End::Invalid),
            },
            b'F' | b'L' | b'P' => {
                line(stream)?;
                self.push(Value::Other)
            }
            b'I' => {
                let text = line(stream)?;
                let number = std::str::from_utf8(&text)
                    .ok()
                    .and_then(|text| text.trim().parse().ok());
                match number {
                    Some(number) => self.push(Value::Int(number)),
                    None if text
                        .trim_ascii()
                        .iter()
                        .all(|byte| byte.is_ascii_digit() || *byte == b'-') =>
                    {
                        self.push(Value::Other)
                    }
                    None => Err(End::Invalid),
                }
            }
            b'J' => {
                let number = stream.array().map(i32::from_le_bytes)?;
                self.push(Value::Int(number))
            }
            b'K' => {
                let number = stream.byte()?;
                self.push(Value::Int(number.into()))
            }
            b'M' => {
                let number = stream.array().map(u16::from_le_bytes)?;
                self.push(Value::Int(number.into()))
            }
            b'N' | 0x88 | 0x89 | 0x97 => self.push(Value::Other),
            b'Q' => self.pop().and_then(|_| self.push(Value::Other)),
            b'R' => self.reduce(),
            b'S' => {
                let text = line(stream)?;
                match quoted(&text) {
                    Some(text) => self.push_text(&text),
                    None => Err(End::Invalid),
                }
            }
            b'V' => {
                let text = line(stream)?;
                self.push_text(&unescape(&text, true))
            }
            b'T' | b'X' => {
                let length = stream.u32()?;
                self.counted_text(stream, length.into())?
            }
            b'U' | 0x8C => {
                let length = stream.byte()?;
                self.counted_text(stream, length.into())?
            }
            0x8D => {
                let length = stream.u64()?;
                self.counted_text(stream, length)?
            }
            b'C' | 0x8A => {
                let length = stream.byte()?;
                self.counted_bytes(stream, length.into())?
            }
            b'B' | 0x8B => {
                let length = stream.u32()?;
                self.counted_bytes(stream, length.into())?
            }
            0x8E | 0x96 => {
                let length = stream.u64()?;
                self.counted_bytes(stream, length)?
            }
            b'G' => {
                stream.array::<8>()?;
                self.push(Value::Other)
            }
            0x98 => self.stack.last().map(|_| ()).ok_or(End::Invalid),
            b'a' => self.pop().and_then(|value| self.add_to_top(&[value])),
            b'e' | 0x90 => self.pop_mark().and_then(|values| self.add_to_top(&values)),
            b's' => self.pop().and_then(|value| {
                let key = self.pop()?;
                self.add_to_top(&[key, value])
            }),
            b'u' => self.pop_mark().and_then(|values| self.add_to_top(&values)),
            b'b' => return self.build(stream, depth),
            b'c' => {
                let module = line(stream)?;
                let name = line(stream)?;
                self.global(
                    &String::from_utf8_lossy(&module),
                    &String::from_utf8_lossy(&name),
                    false,
                )
                .and_then(|value| self.push(value))
            }
            b'i' => {
                let module = line(stream)?;
                let name = line(stream)?;
                self.pop_mark().and_then(|arguments| {
                    let class =
                        self.global(&String::from_utf8_lossy(&module), &String::from_utf8_lossy(&name), true)?;
                    let arguments = self.group(&arguments);
                    let value = self.call(class, arguments);
                    self.push(value)
                })
            }
            b'o' => self.pop_mark().and_then(|values| {
                let Some((class, arguments)) = values.split_first() else {
                    return Err(End::Invalid);
                };
                let arguments = self.group(arguments);
                let value = self.call(*class, arguments);
                self.push(value)
            }),
            0x81 => self.pop().and_then(|arguments| {
                let class = self.pop()?;
                let value = self.call(class, arguments);
                self.push(value)
            }),
            0x92 => self.pop().and_then(|_| {
                let arguments = self.pop()?;
                let class = self.pop()?;
                let value = self.call(class, arguments);
                self.push(value)
            }),
            0x93 => self.stack_global(),
            0x82..=0x84 => {
                let code = match opcode {
                    0x82 => u32::from(stream.byte()?),
                    0x83 => stream.array().map(u16::from_le_bytes)?.into(),
                    _ => stream.u32()?,
                };
                self.global("copyreg", &format!("extension-{code}"), false)
                    .and_then(|value| self.push(value))
            }
            b'd' | b'l' | b't' | 0x91 => self.pop_mark().and_then(|values| {
                let group = self.group(&values);
                self.push(group)
            }),
            b'}' | b']' | b')' | 0x8F => {
                let group = self.group(&[]);
                self.push(group)
            }
            0x85..=0x87 => self.tuple(usize::from(opcode - 0x84)),
            b'g' => {
                let index = number(&line(stream)?);
                self.get(index)
            }
            b'h' => {
                let index = stream.byte()?;
                self.get(Some(index.into()))
            }
            b'j' => {
                let index = stream.u32()?;
                self.get(Some(index))
            }
            b'p' => {
                let index = number(&line(stream)?);
                self.put(index)
            }
            b'q' => {
                let index = stream.byte()?;
                self.put(Some(index.into()))
            }
            b'r' => {
                let index = stream.u32()?;
                self.put(Some(index))
            }
            0x94 => self.put(Some(self.memoized)),
            0x80 => {
                let protocol = stream.byte()?;
                self.trace.protocol = self.trace.protocol.max(protocol.min(9));
                if protocol > 5 { Err(End::Invalid) } else { Ok(()) }
            }
            0x95 => {
                stream.array::<8>()?;
                Ok(())
            }
            _ => Err(End::Invalid),
        })
    }

    fn push(&mut self, value: Value) -> Halt {
        if self.stack.len() >= STACK_MAX {
            return Err(End::Limit);
        }
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, End> {
        match self.stack.pop() {
            None | Some(Value::Mark) => Err(End::Invalid),
            Some(value) => Ok(value),
        }
    }

    /// The values above the last mark, the first of them; the mark goes too.
    fn pop_mark(&mut self) -> Result<Vec<Value>, End> {
        let mark = self.stack.iter().rposition(|value| *value == Value::Mark);
        let mark = mark.ok_or(End::Invalid)?;
        let values = self.stack[mark + 1..].iter().copied().take(GROUP_MAX).collect();
        self.stack.truncate(mark);
        Ok(values)
    }

    fn push_text(&mut self, text: &str) -> Halt {
        let value = self.text(text);
        self.push(value)
    }

    fn text(&mut self, text: &str) -> Value {
        if text.len() > NAME_BYTES_MAX {
            return Value::Other;
        }
        if self.text_bytes + text.len() > TEXT_BYTES_MAX || self.texts.len() >= TEXT_BYTES_MAX / 16 {
            return Value::Missing;
        }
        self.text_bytes += text.len();
        self.texts.push(text.into());
        u32::try_from(self.texts.len() - 1).map_or(Value::Missing, Value::Text)
    }

    fn counted_text(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<Halt> {
        let is_inner = length > NAME_BYTES_MAX as u64 && self.expects_stream();
        let bytes = stream.take(length, if is_inner { 2 * INNER_BYTES_MAX } else { NAME_BYTES_MAX })?;
        Some(if is_inner {
            self.push_inner(bytes)
        } else if length > NAME_BYTES_MAX as u64 {
            self.push(Value::Other)
        } else {
            self.push_text(&String::from_utf8_lossy(&bytes))
        })
    }

    fn counted_bytes(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<Halt> {
        if self.expects_stream() {
            let bytes = stream.take(length, INNER_BYTES_MAX)?;
            return Some(self.push_inner(bytes));
        }
        stream.skip(length).then(|| self.push(Value::Other))
    }

    /// Whether what comes next is given to a function that loads it as a stream.
    fn expects_stream(&self) -> bool {
        let mut above = self.stack.iter().rev().filter(|value| **value != Value::Mark);
        let mut names = above.by_ref().map_while(|value| match value {
            Value::Global(id) => self.texts.get(*id as usize),
            _ => None,
        });
        match names.next().map(|name| &**name) {
            Some(LOADS_BYTES) => true,
            Some("_codecs.encode") => names.next().is_some_and(|name| &**name == LOADS_BYTES),
            _ => false,
        }
    }

    fn push_inner(&mut self, bytes: Vec<u8>) -> Halt {
        let kept: usize = self.inner.iter().map(Vec::len).sum();
        if kept + bytes.len() > INNER_BYTES_TOTAL_MAX || self.inner.len() >= GROUPS {
            return self.push(Value::Other);
        }
        self.inner.push(bytes);
        let value = u32::try_from(self.inner.len() - 1).map_or(Value::Other, Value::Inner);
        self.push(value)
    }

    /// Follows a stream that was given to a function which loads it; false where it could not be followed.
    fn follow(&mut self, given: Option<&Value>) -> bool {
        let Some(Value::Inner(id)) = given else { return false };
        let Some(bytes) = self.inner.get(*id as usize).cloned() else {
            return false;
        };
        self.trace.inner_bytes = self.trace.inner_bytes.saturating_add(bytes.len());
        if self.depth >= NESTING_MAX || self.trace.inner_bytes > INNER_BYTES_TOTAL_MAX {
            return false;
        }
        let budget = Budget::new(2 * bytes.len() as u64 + 1024);
        let before = self.trace.pickles;
        let end = trace_at(&mut Part::whole(&bytes, &budget).stream(), self.trace, self.depth + 1);
        let followed = self.trace.pickles - before;
        self.trace.pickles = before;
        // The format has a number, a version, a description, the object, and the keys of its storages.
        end == End::Stop && followed >= HEAD_PICKLES - 1
    }

    fn group(&mut self, values: &[Value]) -> Value {
        let id = self.next_group;
        self.next_group = self.next_group.wrapping_add(1);
        let slot = id as usize % GROUPS;
        if slot >= self.groups.len() {
            self.groups.push((id, Vec::new()));
        }
        if let Some((owner, held)) = self.groups.get_mut(slot) {
            *owner = id;
            held.clear();
            held.extend(values.iter().take(GROUP_MAX));
        }
        Value::Group(id)
    }

    /// What a group holds, if it is still kept.
    fn values(&self, group: Value) -> Option<&[Value]> {
        let Value::Group(id) = group else { return None };
        let (owner, values) = self.groups.get(id as usize % GROUPS)?;
        (*owner == id).then_some(values)
    }

    fn tuple(&mut self, count: usize) -> Halt {
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(self.pop()?);
        }
        values.reverse();
        let group = self.group(&values);
        self.push(group)
    }

    fn add_to_top(&mut self, values: &[Value]) -> Halt {
        match self.stack.last().copied() {
            None | Some(Value::Mark) => Err(End::Invalid),
            Some(Value::Group(id)) => {
                if let Some((owner, held)) = self.groups.get_mut(id as usize % GROUPS)
                    && *owner == id
                {
                    let room = GROUP_MAX.saturating_sub(held.len());
                    held.extend(values.iter().take(room));
                }
                Ok(())
            }
            Some(_) => Ok(()),
        }
    }

    fn get(&mut self, index: Option<u32>) -> Halt {
        let index = index.ok_or(End::Invalid)?;
        let value = match self.memo.get(index as usize) {
            Some(value) => *value,
            None => match self.sparse.get(&index) {
                Some(value) => *value,
                // Beyond the limits of what is remembered, or never put there.
                None if self.memo.len() >= MEMO_MAX || self.sparse.len() >= SPARSE_MAX => Value::Missing,
                None => return Err(End::Invalid),
            },
        };
        self.push(value)
    }

    fn put(&mut self, index: Option<u32>) -> Halt {
        let index = index.ok_or(End::Invalid)?;
        let value = match self.stack.last() {
            None | Some(Value::Mark) => return Err(End::Invalid),
            Some(value) => *value,
        };
        self.memoized = self.memoized.saturating_add(1);
        let at = index as usize;
        if at < self.memo.len() {
            self.memo[at] = value;
        } else if at == self.memo.len() && at < MEMO_MAX {
            self.memo.push(value);
        } else if self.sparse.len() < SPARSE_MAX {
            self.sparse.insert(index, value);
        }
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str, called: bool) -> Result<Value, End> {
        // What no module is called is no import: text that only begins like one ends here.
        let plain = |text: &str| {
            !text.is_empty()
                && text.len() <= NAME_BYTES_MAX
                && !text.chars().any(|c| c.is_control() || c.is_whitespace())
        };
        if !plain(module) || !plain(name) {
            return Err(End::Invalid);
        }
        let path = format!("{module}.{name}");
        self.trace.import(&path, called);
        Ok(match self.text(&path) {
            Value::Text(id) => Value::Global(id),
            _ => Value::Missing,
        })
    }

    fn stack_global(&mut self) -> Halt {
        let name = self.pop()?;
        let module = self.pop()?;
        let value = match (module, name) {
            (Value::Text(module), Value::Text(name)) => {
                let (module, name) = (self.known(module), self.known(name));
                self.global(&module, &name, false)?
            }
            (Value::Missing, _) | (_, Value::Missing) => {
                self.trace.problem(
                    ModelFileProblemKind::NotRead,
                    "it imports a name that this scan could not resolve",
                );
                Value::Missing
            }
            // No tool that writes such files computes the names of what it imports.
            _ => {
                self.trace.problem(
                    ModelFileProblemKind::ReachesCode,
                    "imports a name that is only computed when the file is loaded",
                );
                Value::Missing
            }
        };
        self.push(value)
    }

    fn known(&self, text: u32) -> String {
        self.texts
            .get(text as usize)
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    fn reduce(&mut self) -> Halt {
        let arguments = self.pop()?;
        let function = self.pop()?;
        let value = self.call(function, arguments);
        self.push(value)
    }

    fn call(&mut self, function: Value, arguments: Value) -> Value {
        let Value::Global(id) = function else {
            if function == Value::Missing {
                return Value::Missing;
            }
            return Value::Other;
        };
        let path = self.known(id);
        self.trace.import(&path, true);
        let arguments: Vec<Value> = self.values(arguments).map(<[_]>::to_vec).unwrap_or_default();
        match path.as_str() {
            "builtins.getattr" | "__builtin__.getattr" => self.getattr(&path, &arguments),
            "builtins.__import__" | "__builtin__.__import__" | "importlib.import_module" | "importlib.__import__" => {
                if let Some(Value::Text(module)) = arguments.first() {
                    let module = self.known(*module);
                    self.trace.import(&module, false);
                    self.path(&module)
                } else {
                    self.trace.problem(
                        ModelFileProblemKind::ReachesCode,
                        "imports a name that is only computed when the file is loaded",
                    );
                    Value::Object(id)
                }
            }
            "operator.add" | "operator.concat" | "_operator.add" | "_operator.concat" => match arguments.as_slice() {
                [Value::Text(left), Value::Text(right)] => {
                    let text = self.known(*left) + &self.known(*right);
                    self.text(&text)
                }
                _ => Value::Computed,
            },
            LOADS_BYTES => {
                let followed = self.follow(arguments.first());
                self.trace.given(LOADS_BYTES, followed);
                Value::Object(id)
            }
            // How the second protocol writes bytes.
            "_codecs.encode" => match arguments.first() {
                Some(Value::Inner(inner)) => self.latin(*inner),
                _ => Value::Object(id),
            },
            "numpy.core._ufunc_reconstruct" | "numpy._core._ufunc_reconstruct" => {
                self.by_name(&path, &arguments);
                Value::Object(id)
            }
            // It calls the function that it is given.
            "torch._tensor._rebuild_from_type_v2" | "torch._tensor._rebuild_from_type" => {
                if let Some(Value::Global(given)) = arguments.first() {
                    let given = self.known(*given);
                    self.trace.import(&given, true);
                }
                Value::Object(id)
            }
            "numpy.dtype" => match arguments.first() {
                Some(Value::Text(text)) => dtype(&self.known(*text)).unwrap_or(Value::Object(id)),
                _ => Value::Object(id),
            },
            _ => Value::Object(id),
        }
    }

    /// Text whose letters are bytes, as bytes.
    fn latin(&mut self, inner: u32) -> Value {
        let Some(bytes) = self.inner.get_mut(inner as usize) else {
            return Value::Other;
        };
        let text = String::from_utf8_lossy(bytes);
        let mut out: Vec<u8> = text.chars().map_while(|c| u8::try_from(u32::from(c)).ok()).collect();
        out.truncate(INNER_BYTES_MAX);
        *bytes = out;
        Value::Inner(inner)
    }

    /// A function that imports what it is given as a module and a name.
    fn by_name(&mut self, function: &str, arguments: &[Value]) {
        if let [Value::Text(module), Value::Text(name)] = arguments {
            let path = format!("{}.{}", self.known(*module), self.known(*name));
            self.trace.import(&path, true);
        } else {
            self.trace.problem(
                ModelFileProblemKind::ReachesCode,
                format!("calls `{function}` with a name that is only computed when the file is loaded"),
            );
        }
    }

    fn getattr(&mut self, getattr: &str, arguments: &[Value]) -> Value {
        let (Some(object), Some(name)) = (arguments.first(), arguments.get(1)) else {
            return Value::Computed;
        };
        let Value::Text(name) = name else {
            self.trace.problem(
                ModelFileProblemKind::ReachesCode,
                "accesses an attribute whose name is only computed when the file is loaded",
            );
            return Value::Computed;
        };
        let name = self.known(*name);
        match object {
            Value::Global(base) | Value::Object(base) => {
                let path = format!("{}.{name}", self.known(*base));
                self.trace.import(&path, false);
                match imports::judge(&path).kind {
                    ModelImportKind::Known => self.trace.settle(getattr, ModelImportKind::Known),
                    ModelImportKind::Unknown if !name.starts_with("__") => self.trace.harmless(getattr),
                    _ => {}
                }
                self.path(&path)
            }
            _ => Value::Computed,
        }
    }

    fn path(&mut self, path: &str) -> Value {
        match self.text(path) {
            Value::Text(id) => Value::Global(id),
            _ => Value::Missing,
        }
    }

    /// Sets the state of an object; joblib puts the data of an array right behind.
    fn build(&mut self, stream: &mut Stream<'_>, depth: u32) -> Option<Halt> {
        let state = match self.pop() {
            Ok(state) => state,
            Err(end) => return Some(Err(end)),
        };
        let target = match self.stack.last() {
            None | Some(Value::Mark) => return Some(Err(End::Invalid)),
            Some(target) => *target,
        };
        match target {
            Value::Global(id) => {
                let path = self.known(id);
                self.trace.import(&path, true);
                Some(Ok(()))
            }
            Value::Object(id) if self.known(id) == "joblib.numpy_pickle.NumpyArrayWrapper" => {
                let values: Vec<Value> = self.values(state).map(<[_]>::to_vec).unwrap_or_default();
                self.array(&values, stream, depth)
            }
            _ => Some(Ok(())),
        }
    }

    /// Passes over the data of an array that follows its description.
    fn array(&mut self, state: &[Value], stream: &mut Stream<'_>, depth: u32) -> Option<Halt> {
        let field = |name: &str| {
            state
                .chunks_exact(2)
                .find(|pair| matches!(pair[0], Value::Text(key) if self.known(key) == name))
                .map(|pair| pair[1])
        };
        let shape = field("shape").and_then(|shape| {
            self.values(shape)?
                .iter()
                .map(|value| match value {
                    Value::Int(length) => u64::try_from(*length).ok(),
                    _ => None,
                })
                .try_fold(1_u64, |product, length| product.checked_mul(length?))
        });
        let (Some(elements), Some(Value::Dtype(dtype))) = (shape, field("dtype")) else {
            return Some(Err(End::Limit));
        };
        let aligned = field("numpy_array_alignment_bytes").is_some();
        let Some(size) = dtype else {
            // Objects are a stream of their own.
            if depth >= NESTING_MAX {
                return Some(Err(End::Limit));
            }
            let end = Machine::new(self.trace).run(stream, depth + 1);
            return Some(if end == End::Stop { Ok(()) } else { Err(end) });
        };
        if aligned {
            let padding = stream.byte()?;
            if !stream.skip(padding.into()) {
                return None;
            }
        }
        let bytes = elements.saturating_mul(size.into());
        stream.skip(bytes).then_some(Ok(()))
    }
}
