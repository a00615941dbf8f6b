//! Where bytes come from: a file by ranges, a part of it, or a compressed stream inside it, all under one budget.

use std::cell::Cell;

use engine_model::ReadAt;
use flate2::{Decompress, FlushDecompress, Status};

/// Bytes that are read or unpacked for one file, the passing over of weights not counted.
pub(crate) const WORK_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Bytes that are held of a file at one time.
const CHUNK: usize = 32 * 1024;

/// What the reading of one file may still cost.
#[derive(Debug)]
pub(crate) struct Budget(Cell<u64>);

impl Budget {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// Takes from the budget; false when it is used up.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// A range of a file.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    file: &'a dyn ReadAt,
    budget: &'a Budget,
    start: u64,
    length: u64,
}

impl<'a> Part<'a> {
    pub(crate) fn whole(file: &'a dyn ReadAt, budget: &'a Budget) -> Self {
        Self {
            file,
            budget,
            start: 0,
            length: file.length(),
        }
    }

    /// The bytes from `start`, at most `length` of them.
    pub(crate) fn range(&self, start: u64, length: u64) -> Self {
        let start = start.min(self.length);
        Self {
            start: self.start.saturating_add(start),
            length: length.min(self.length - start),
            ..*self
        }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Fills the buffer as far as the part, the budget and the disk allow.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let rest = self.length.saturating_sub(offset);
        let wanted = usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len());
        if wanted == 0 || !self.budget.take(wanted as u64) {
            return 0;
        }
        let mut done = 0;
        while done < wanted {
            let at = self.start.saturating_add(offset).saturating_add(done as u64);
            let count = self.file.read_at(at, &mut buffer[done..wanted]);
            if count == 0 {
                break;
            }
            done += count.min(wanted - done);
        }
        done
    }

    /// Up to `length` bytes from `offset`; fewer at the end.
    pub(crate) fn bytes(&self, offset: u64, length: usize) -> Vec<u8> {
        let rest = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut out = vec![0; length.min(rest)];
        let count = self.read(offset, &mut out);
        out.truncate(count);
        out
    }

    pub(crate) fn stream(self) -> Stream<'a> {
        Stream {
            part: self,
            next: 0,
            buffer: Vec::new(),
            at: 0,
            inflater: None,
            position: 0,
        }
    }

    /// The part as a compressed stream that is unpacked as it is read.
    pub(crate) fn inflate(self, format: Packing) -> Stream<'a> {
        let mut stream = self.stream();
        let raw = match format {
            Packing::Zlib => false,
            Packing::Deflate => true,
            Packing::Gzip => {
                skip_gzip_header(&mut stream);
                true
            }
        };
        // What was buffered of the header's chunk is read again: the inflater takes its own chunks.
        let from = stream.position;
        stream.next = from;
        stream.buffer.clear();
        stream.at = 0;
        stream.position = 0;
        stream.inflater = Some(Box::new(Inflater {
            state: Decompress::new(!raw),
            input: Vec::new(),
            used: 0,
            ended: false,
        }));
        stream
    }
}

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As in the members of a zip archive.
    Deflate,
    /// With the header of zlib.
    Zlib,
    /// With the header of gzip.
    Gzip,
}

struct Inflater {
    state: Decompress,
    input: Vec<u8>,
    used: usize,
    ended: bool,
}

/// Bytes one after the other.
pub(crate) struct Stream<'a> {
    part: Part<'a>,
    /// Offset in the part of what is read next.
    next: u64,
    buffer: Vec<u8>,
    at: usize,
    inflater: Option<Box<Inflater>>,
    position: u64,
}

impl Stream<'_> {
    /// Offset of the next byte, in unpacked bytes.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Whether the budget ended the stream, as opposed to its own end.
    pub(crate) fn ran_out(&self) -> bool {
        self.part.budget.is_spent()
    }

    pub(crate) fn peek(&mut self) -> Option<u8> {
        if self.at == self.buffer.len() && !self.fill() {
            return None;
        }
        self.buffer.get(self.at).copied()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.position += 1;
        Some(byte)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut out = [0; N];
        for byte in &mut out {
            *byte = self.byte()?;
        }
        Some(out)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// `length` bytes, of which the first `kept_max` are given; `None` when the stream ends before.
    pub(crate) fn take(&mut self, length: u64, kept_max: usize) -> Option<Vec<u8>> {
        let kept = usize::try_from(length).unwrap_or(usize::MAX).min(kept_max);
        let mut out = Vec::with_capacity(kept.min(CHUNK));
        while out.len() < kept {
            self.peek()?;
            let count = (self.buffer.len() - self.at).min(kept - out.len());
            out.extend_from_slice(&self.buffer[self.at..self.at + count]);
            self.at += count;
            self.position += count as u64;
        }
        self.skip(length - kept as u64).then_some(out)
    }

    /// The bytes up to the next line feed, which is taken too; `None` when none comes within `length_max` bytes.
    pub(crate) fn line(&mut self, length_max: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let byte = self.byte()?;
            if byte == b'\n' {
                return Some(out);
            }
            if out.len() >= length_max {
                return None;
            }
            out.push(byte);
        }
    }

    /// Passes over bytes: at no cost in a file, by unpacking in a compressed stream. False when it ends before.
    pub(crate) fn skip(&mut self, length: u64) -> bool {
        let held = (self.buffer.len() - self.at) as u64;
        if length <= held {
            self.at += usize::try_from(length).unwrap_or(0);
            self.position += length;
            return true;
        }
        if self.inflater.is_some() {
            let mut rest = length;
            while rest > 0 {
                if self.peek().is_none() {
                    return false;
                }
                let count = ((self.buffer.len() - self.at) as u64).min(rest);
                self.at += usize::try_from(count).unwrap_or(0);
                self.position += count;
                rest -= count;
            }
            return true;
        }
        let beyond = length - held;
        self.buffer.clear();
        self.at = 0;
        let left = self.part.length.saturating_sub(self.next);
        let step = beyond.min(left);
        self.next += step;
        self.position += held + step;
        beyond <= left
    }

    fn fill(&mut self) -> bool {
        self.at = 0;
        let part = self.part;
        match &mut self.inflater {
            None => {
                self.buffer.resize(CHUNK, 0);
                let count = part.read(self.next, &mut self.buffer);
                self.buffer.truncate(count);
                self.next += count as u64;
            }
            Some(inflater) => {
                self.buffer.clear();
                let mut out = vec![0; CHUNK];
                while !inflater.ended {
                    if inflater.used == inflater.input.len() {
                        inflater.input.resize(CHUNK, 0);
                        let count = part.read(self.next, &mut inflater.input);
                        inflater.input.truncate(count);
                        inflater.used = 0;
                        self.next += count as u64;
                        if count == 0 {
                            inflater.ended = true;
                            break;
                        }
                    }
                    let (read_before, written_before) = (inflater.state.total_in(), inflater.state.total_out());
                    let status =
                        inflater
                            .state
                            .decompress(&inflater.input[inflater.used..], &mut out, FlushDecompress::None);
                    let read = inflater.state.total_in() - read_before;
                    let written = inflater.state.total_out() - written_before;
                    inflater.used += usize::try_from(read).unwrap_or(0);
                    inflater.ended = match status {
                        Ok(Status::StreamEnd) | Err(_) => true,
                        Ok(Status::Ok | Status::BufError) => read == 0 && written == 0,
                    };
                    if !part.budget.take(written) {
                        inflater.ended = true;
                    } else if written > 0 {
                        out.truncate(usize::try_from(written).unwrap_or(0));
                        self.buffer = out;
                        break;
                    }
                }
            }
        }
        !self.buffer.is_empty()
    }
}

/// Passes the header of a gzip stream; leaves the stream wherever it ends when the header does.
fn skip_gzip_header(stream: &mut Stream<'_>) -> Option<()> {
    /// A longer name or comment than this is no header that a tool writes.
    const TEXT_BYTES_MAX: usize = 64 * 1024;
    let [_, _, _, flags, ..] = stream.array::<10>()?;
    if flags & 4 != 0 {
        let length = stream.array().map(u16::from_le_bytes)?;
        stream.skip(length.into());
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let mut left = TEXT_BYTES_MAX;
            while stream.byte()? != 0 && left > 0 {
                left -= 1;
            }
        }
    }
    if flags & 2 != 0 {
        stream.skip(2);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    fn all(mut stream: Stream<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(byte) = stream.byte() {
            out.push(byte);
        }
        out
    }

    #[test]
    fn compressed_streams_give_what_was_packed() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let budget = Budget::new(WORK_BYTES_MAX);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let packed = zlib.finish().unwrap();
        assert_eq!(all(Part::whole(&packed, &budget).inflate(Packing::Zlib)), text);
        let mut gzip = flate2::GzBuilder::new()
            .filename("weights")
            .comment("none")
            .write(Vec::new(), Compression::default());
        gzip.write_all(&text).unwrap();
        let packed: Vec<u8> = GzEncoder::finish(gzip).unwrap();
        assert_eq!(all(Part::whole(&packed, &budget).inflate(Packing::Gzip)), text);
    }

    #[test]
    fn a_decompression_bomb_stops_at_the_budget() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        for _ in 0..64 {
            zlib.write_all(&vec![0; 65_536]).unwrap();
        }
        let packed = zlib.finish().unwrap();
        let budget = Budget::new(1024 * 1024);
        let mut stream = Part::whole(&packed, &budget).inflate(Packing::Zlib);
        assert!(!stream.skip(1 << 40));
        assert!(stream.ran_out() && stream.position() <= 1024 * 1024);
    }

    #[test]
    fn passing_over_weights_costs_no_reading() {
        struct Huge;
        impl ReadAt for Huge {
            fn length(&self) -> u64 {
                1 << 40
            }
            fn read_at(&self, _: u64, buffer: &mut [u8]) -> usize {
                buffer.fill(7);
                buffer.len()
            }
        }
        let budget = Budget::new(WORK_BYTES_MAX);
        let mut stream = Part::whole(&Huge, &budget).stream();
        stream.byte();
        assert!(stream.skip((1 << 40) - 10));
        assert_eq!(stream.take(9, 100), Some(vec![7; 9]));
        assert_eq!(stream.byte(), None);
        assert!(!budget.is_spent());
    }
}
