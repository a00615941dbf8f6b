//! Takes in a body up to a limit, counts the rest, and unpacks it without trusting it.

use std::io::{self, Write};

use flate2::write::{MultiGzDecoder, ZlibDecoder};

/// A packed body that grows by more than this is a bomb once it is larger than what is kept.
const RATIO_MAX: u64 = 100;

/// A body of more bytes is taken for a large one.
const LARGE: usize = 64 * 1024;

/// Why taking in stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// More than is read of any reply.
    TooLong,
    /// Few bytes became very many.
    Bomb,
    /// Broken packing.
    Broken,
}

/// Keeps the beginning, counts everything.
#[derive(Debug)]
struct Sink {
    kept: Vec<u8>,
    keep_max: usize,
    total: u64,
    total_max: u64,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.keep_max.saturating_sub(self.kept.len()).min(bytes.len());
        if self.kept.len() + room > LARGE && self.kept.capacity() < self.keep_max {
            // One step to the limit instead of many that leave holes behind them: large replies come many at a time.
            self.kept.reserve_exact(self.keep_max - self.kept.len());
        }
        self.kept.extend_from_slice(&bytes[..room]);
        self.total += bytes.len() as u64;
        if self.total > self.total_max {
            return Err(io::Error::other("larger than the read limit"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
enum Unpack {
    Plain(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
    Zlib(Box<ZlibDecoder<Sink>>),
}

/// A body on its way in.
#[derive(Debug)]
pub(crate) struct Intake {
    unpack: Unpack,
    wire: u64,
    keep_max: usize,
    total_max: u64,
}

impl Intake {
    /// For a content coding; none where it cannot be read.
    pub(crate) fn new(encoding: Option<&str>, keep_max: usize, total_max: u64) -> Option<Self> {
        let sink = Sink {
            kept: Vec::new(),
            keep_max,
            total: 0,
            total_max,
        };
        let unpack = match encoding.map(|name| name.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Unpack::Plain(sink),
            Some("gzip" | "x-gzip") => Unpack::Gzip(Box::new(MultiGzDecoder::new(sink))),
            Some("deflate") => Unpack::Zlib(Box::new(ZlibDecoder::new(sink))),
            Some(_) => return None,
        };
        Some(Self {
            unpack,
            wire: 0,
            keep_max,
            total_max,
        })
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        // Small steps: what one packed chunk unpacks to is looked at before the next is touched.
        for step in bytes.chunks(4096) {
            self.wire += step.len() as u64;
            let written = match &mut self.unpack {
                Unpack::Plain(sink) => sink.write_all(step),
                Unpack::Gzip(decoder) => decoder.write_all(step),
                Unpack::Zlib(decoder) => decoder.write_all(step),
            };
            let packed = !matches!(self.unpack, Unpack::Plain(_));
            let total = self.total();
            if packed && total > self.keep_max as u64 && total / RATIO_MAX > self.wire {
                return Err(Stop::Bomb);
            }
            if total > self.total_max {
                return Err(Stop::TooLong);
            }
            written.map_err(|_| Stop::Broken)?;
        }
        Ok(())
    }

    /// Bytes over the wire.
    pub(crate) fn wire(&self) -> u64 {
        self.wire
    }

    /// Bytes after unpacking.
    pub(crate) fn total(&self) -> u64 {
        match &self.unpack {
            Unpack::Plain(sink) => sink.total,
            Unpack::Gzip(decoder) => decoder.get_ref().total,
            Unpack::Zlib(decoder) => decoder.get_ref().total,
        }
    }

    /// What was kept so far.
    pub(crate) fn kept(&self) -> &[u8] {
        match &self.unpack {
            Unpack::Plain(sink) => &sink.kept,
            Unpack::Gzip(decoder) => &decoder.get_ref().kept,
            Unpack::Zlib(decoder) => &decoder.get_ref().kept,
        }
    }

    /// Ends the body: what was kept, and how many bytes there were.
    pub(crate) fn finish(self) -> Result<(Vec<u8>, u64), Stop> {
        let sink = match self.unpack {
            Unpack::Plain(sink) => sink,
            Unpack::Gzip(decoder) if self.wire == 0 => {
                drop(decoder);
                return Ok((Vec::new(), 0));
            }
            Unpack::Gzip(decoder) => (*decoder).finish().map_err(|_| Stop::Broken)?,
            Unpack::Zlib(decoder) => (*decoder).finish().map_err(|_| Stop::Broken)?,
        };
        Ok((sink.kept, sink.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted_and_not_kept() {
        let mut intake = Intake::new(None, 10, 1000).unwrap();
        intake.take(&[7; 300]).unwrap();
        assert_eq!((intake.kept().len(), intake.total()), (10, 300));
        assert_eq!(intake.take(&[7; 701]), Err(Stop::TooLong));
    }

    #[test]
    fn a_bomb_is_left_early_and_plain_packing_is_read() {
        let text: Vec<u8> = (0..20_000u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let mut intake = Intake::new(Some("gzip"), 1 << 20, 1 << 27).unwrap();
        intake.take(&packed(&text)).unwrap();
        assert_eq!(intake.finish().unwrap().0, text);
        let mut intake = Intake::new(Some("gzip"), 1 << 20, 1 << 27).unwrap();
        assert_eq!(intake.take(&packed(&vec![0; 1 << 26])), Err(Stop::Bomb));
        assert!(intake.total() < 8 << 20, "unpacked {} bytes", intake.total());
    }

    #[test]
    fn broken_packing_is_told() {
        let mut whole = packed(b"a text that is long enough to be packed, and then cut");
        whole.truncate(whole.len() / 2);
        let mut intake = Intake::new(Some("gzip"), 100, 1000).unwrap();
        let taken = intake.take(&whole);
        assert!(taken == Err(Stop::Broken) || intake.finish() == Err(Stop::Broken));
        assert!(Intake::new(Some("br"), 1, 1).is_none());
    }
}
