//! The log on standard error: names of files and texts of errors are foreign.

use std::io::{self, Write};

/// Writes lines of the log so that nothing in them moves a cursor or commands a build server.
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr()
            .lock()
            .write_all(engine_model::printed_text(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
