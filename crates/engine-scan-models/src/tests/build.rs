//! Builders of the formats, no more of each than the tests need.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// Serialised objects, opcode by opcode.
#[derive(Default)]
pub(crate) struct Pickle(Vec<u8>);

pub(crate) fn pickle(protocol: u8, write: impl FnOnce(Pickle) -> Pickle) -> Vec<u8> {
    write(Pickle(vec![0x80, protocol])).op(b'.').0
}

impl Pickle {
    pub(crate) fn op(mut self, opcode: u8) -> Self {
        self.0.push(opcode);
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.op(0x8C)
            .bytes(&[u8::try_from(text.len()).unwrap()])
            .bytes(text.as_bytes())
    }

    pub(crate) fn int(self, value: u16) -> Self {
        self.op(b'M').bytes(&value.to_le_bytes())
    }

    pub(crate) fn global(self, module: &str, name: &str) -> Self {
        self.bytes(format!("c{module}\n{name}\n").as_bytes())
    }

    pub(crate) fn stack_global(self, module: &str, name: &str) -> Self {
        self.text(module).text(name).op(0x93)
    }

    pub(crate) fn memoize(self) -> Self {
        self.op(0x94)
    }

    pub(crate) fn put(self, index: u32) -> Self {
        self.op(b'r').bytes(&index.to_le_bytes())
    }

    pub(crate) fn get(self, index: u32) -> Self {
        self.op(b'j').bytes(&index.to_le_bytes())
    }

    pub(crate) fn pop(self) -> Self {
        self.op(b'0')
    }

    pub(crate) fn mark(self) -> Self {
        self.op(b'(')
    }

    pub(crate) fn tuple(self, count: u8) -> Self {
        self.op(0x84 + count)
    }

    pub(crate) fn tuple_from_mark(self) -> Self {
        self.op(b't')
    }

    pub(crate) fn empty_tuple(self) -> Self {
        self.op(b')')
    }

    pub(crate) fn reduce(self) -> Self {
        self.op(b'R')
    }

    pub(crate) fn persistent(self) -> Self {
        self.op(b'Q')
    }

    pub(crate) fn set_items(self) -> Self {
        self.op(b'u')
    }
}

/// A member of a zip archive, with what its headers say.
pub(crate) struct Member {
    name: String,
    pub(crate) local_name: String,
    data: Vec<u8>,
    size: u32,
    method: u16,
    pub(crate) flags: u16,
    pub(crate) crc: u32,
}

impl Member {
    pub(crate) fn stored(name: &str, content: &[u8]) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        Self {
            name: name.to_owned(),
            local_name: name.to_owned(),
            data: content.to_vec(),
            size: u32::try_from(content.len()).unwrap(),
            method: 0,
            flags: 0,
            crc: crc.sum(),
        }
    }

    pub(crate) fn deflated(name: &str, content: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        Self {
            data: encoder.finish().unwrap(),
            method: 8,
            ..Self::stored(name, content)
        }
    }
}

pub(crate) fn zip(members: &[Member]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        let at = u32::try_from(out.len()).unwrap();
        let packed = u32::try_from(member.data.len()).unwrap();
        let mut fields = Vec::new();
        fields.extend(20_u16.to_le_bytes());
        fields.extend(member.flags.to_le_bytes());
        fields.extend(member.method.to_le_bytes());
        fields.extend([0; 4]);
        fields.extend(member.crc.to_le_bytes());
        fields.extend(packed.to_le_bytes());
        fields.extend(member.size.to_le_bytes());
        let length = |text: &str| u16::try_from(text.len()).unwrap().to_le_bytes();
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(length(&member.local_name));
        out.extend([0; 2]);
        out.extend(member.local_name.as_bytes());
        out.extend(&member.data);
        directory.extend(b"PK\x01\x02");
        directory.extend([20, 0]);
        directory.extend(&fields);
        directory.extend(length(&member.name));
        directory.extend([0; 12]);
        directory.extend(at.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    let start = u32::try_from(out.len()).unwrap();
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

pub(crate) fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, data) in members {
        let mut head = [0_u8; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..136].copy_from_slice(format!("{:011o}\0", data.len()).as_bytes());
        head[156] = b'0';
        head[257..262].copy_from_slice(b"ustar");
        out.extend(head);
        out.extend(data);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

pub(crate) fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7F {
        out.push(u8::try_from(value & 0x7F | 0x80).unwrap());
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap());
    out
}

/// A number as a field of a protocol buffer.
pub(crate) fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A message as a field.
pub(crate) fn message(field: u64, content: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A text as a field.
pub(crate) fn text(field: u64, content: &str) -> Vec<u8> {
    message(field, content.as_bytes())
}

/// A GGUF file of version 3 with entries of text and one tensor of 32-bit floats.
pub(crate) fn gguf(entries: &[(&str, &str)], shape: &[u64]) -> Vec<u8> {
    let text = |text: &str| [(text.len() as u64).to_le_bytes().as_slice(), text.as_bytes()].concat();
    let mut out = b"GGUF\x03\0\0\0".to_vec();
    out.extend(1_u64.to_le_bytes());
    out.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in entries {
        out.extend(text(key));
        out.extend(8_u32.to_le_bytes());
        out.extend(text(value));
    }
    out.extend(text("w"));
    out.extend(u32::try_from(shape.len()).unwrap().to_le_bytes());
    for length in shape {
        out.extend(length.to_le_bytes());
    }
    out.extend(0_u32.to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    out.resize(out.len().next_multiple_of(32), 0);
    let elements: u64 = shape.iter().product();
    out.resize(out.len() + usize::try_from(elements * 4).unwrap(), 0);
    out
}

/// A header of safetensors with its length before it and zeros behind it.
pub(crate) fn safetensors(header: &str, data: usize) -> Vec<u8> {
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.as_bytes());
    out.resize(out.len() + data, 0);
    out
}
