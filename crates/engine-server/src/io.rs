//! The bytes of a connection, watched.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use engine_model::{ErrorCode, Failure};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::connection::Activity;
use crate::reply;

/// A socket that reports the start of a request and drops a client that stops reading.
pub(crate) struct WatchedIo {
    stream: TcpStream,
    activity: Arc<Activity>,
    stall_max: Duration,
    stall: Option<Pin<Box<Sleep>>>,
    /// What is written in the place of an answer of hyper's own, and how much of it was written.
    instead: Option<(Vec<u8>, usize)>,
}

impl WatchedIo {
    pub(crate) fn new(stream: TcpStream, activity: Arc<Activity>, stall_max: Duration) -> Self {
        Self {
            stream,
            activity,
            stall_max,
            stall: None,
            instead: None,
        }
    }

    pub(crate) fn into_inner(self) -> TcpStream {
        self.stream
    }

    fn poll_write_watched(&mut self, cx: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        if written.is_ready() {
            if self.stall.take().is_some() {
                self.activity.stalls(false);
            }
            return written;
        }
        self.activity.stalls(true);
        let stall = self
            .stall
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(self.stall_max)));
        ready!(stall.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Hyper answers unparsable requests itself, with only a status. Every error of this daemon explains
/// the problem, so this reply is replaced. It differs from our replies by its empty body, by the end of its head,
/// which JSON cannot contain, and by a missing header that all of ours have.
fn instead_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let status = bytes
        .strip_prefix(b"HTTP/1.1 4")
        .or_else(|| bytes.strip_prefix(b"HTTP/1.0 4"))?;
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    if !bytes.ends_with(b"\r\n\r\n") || !has(b"content-length: 0\r\n") || has(b"nosniff") {
        return None;
    }
    let failure = if status.starts_with(b"00") {
        Failure::new(
            ErrorCode::InvalidRequest,
            "this is not an HTTP/1.1 request; check the address and the client",
        )
    } else {
        Failure::new(
            ErrorCode::HeadersTooLarge,
            "the request line and headers are too large; send at most 32 KiB and 100 headers",
        )
    };
    Some(reply::raw(&failure))
}

impl AsyncRead for WatchedIo {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.activity.bytes_came();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WatchedIo {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.instead.is_none() {
            self.instead = instead_of(bytes).map(|answer| (answer, 0));
        }
        let Some((answer, mut done)) = self.instead.take() else {
            return self.poll_write_watched(cx, &[IoSlice::new(bytes)]);
        };
        while done < answer.len() {
            match self.poll_write_watched(cx, &[IoSlice::new(&answer[done..])]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => done += count,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.instead = Some((answer, done));
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(bytes.len()))
    }

    /// Head and body of a reply are written from where they are: a copy of a long body for each client would use memory.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = bytes.iter().find(|slice| !slice.is_empty());
        match first {
            Some(first) if self.instead.is_some() || instead_of(first).is_some() => self.poll_write(cx, first),
            _ => self.poll_write_watched(cx, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Hyper flushes once nothing is left to write: only then has a reply left the daemon as a whole.
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.activity.all_is_written();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
