//! The daemon: bind, accept, stop.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use engine_api::{Context, ROUTES, Route, Router};
use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use crate::bodies::Bodies;
use crate::connection::{self, Connections};
use crate::guard::Token;
use crate::limits::{BACKLOG, BODIES_BYTES_MAX, BODY_WORK_BYTES_MAX, Limits};
use crate::page::PageToken;

/// Attempts to find a port that is free for both families of addresses.
const PORT_ATTEMPTS: u32 = 16;

/// Pause after the system could not give a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(5);

/// The settings of a server.
pub struct Settings {
    /// The port; 0 picks one that is free.
    pub port: u16,
    /// The token that clients must show, if any.
    pub token: Option<Token>,
    /// The limits.
    pub limits: Limits,
    /// What is served.
    pub routes: &'static [Route],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            port: 0,
            token: None,
            limits: Limits::default(),
            routes: ROUTES,
        }
    }
}

/// The reason why the daemon cannot listen.
#[derive(Debug, Error)]
#[error(
    "cannot listen on port {port}; stop the program that uses it, or choose another port with --port (0 selects a free one)"
)]
pub struct BindError {
    port: u16,
    #[source]
    source: io::Error,
}

/// The state that all requests share.
pub(crate) struct Shared {
    pub(crate) context: Context,
    pub(crate) router: Router,
    pub(crate) token: Option<Token>,
    pub(crate) page: PageToken,
    pub(crate) limits: Limits,
    pub(crate) connections: Connections,
    pub(crate) bodies: Arc<Bodies>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) writes: Writes,
    pub(crate) stopping: watch::Receiver<bool>,
}

impl Shared {
    /// Waits until the stop signal.
    pub(crate) async fn stopped(&self) {
        wait(self.stopping.clone()).await;
    }
}

/// Waits until the stop signal or the end of the daemon.
pub(crate) async fn wait(mut stopping: watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// Counts the tasks that must end before the daemon stops. Each task has a sender.
pub(crate) struct Writes(mpsc::Sender<()>);

impl Writes {
    pub(crate) fn begin(&self) -> mpsc::Sender<()> {
        self.0.clone()
    }
}

/// A daemon that listens and does not answer yet.
pub struct Server {
    listeners: Vec<TcpListener>,
    port: u16,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    written: mpsc::Receiver<()>,
}

impl Server {
    /// Listens on the loopback addresses of this machine and on no other.
    pub fn bind(engine: Arc<Engine>, settings: Settings) -> Result<Self, BindError> {
        let listeners = listen(settings.port).map_err(|source| BindError {
            port: settings.port,
            source,
        })?;
        let port = listeners
            .first()
            .and_then(|listener| listener.local_addr().ok())
            .map_or(settings.port, |address| address.port());
        let (stop, stopping) = watch::channel(false);
        let (writes, written) = mpsc::channel(1);
        let shared = Shared {
            context: Context::new(engine),
            router: Router::new(settings.routes),
            token: settings.token,
            page: PageToken::mint(),
            limits: settings.limits,
            connections: Connections::default(),
            bodies: Bodies::new(BODIES_BYTES_MAX, BODY_WORK_BYTES_MAX),
            streams: Arc::new(Semaphore::new(settings.limits.streams)),
            writes: Writes(writes),
            stopping,
        };
        Ok(Self {
            listeners,
            port,
            shared: Arc::new(shared),
            stop,
            written,
        })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Answers until `stop` is ready, and then ends: streams at once, requests when they are answered or time is up.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut accepting = JoinSet::new();
        for listener in self.listeners {
            accepting.spawn(accept(listener, Arc::clone(&self.shared)));
        }
        stop.await;
        let limit = self.shared.limits.stop;
        self.stop.send_replace(true);
        let mut written = self.written;
        drop(self.shared);
        let rest = async {
            // The listeners close at once; each acceptor then waits for its connections.
            while accepting.join_next().await.is_some() {}
            // Every write holds a sender, and so does what the connections shared.
            while written.recv().await.is_some() {}
        };
        if tokio::time::timeout(limit, rest).await.is_err() {
            tracing::warn!(
                seconds = limit.as_secs(),
                "the time for the shutdown is over, but some requests are still running; they get no reply"
            );
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = shared.stopped() => break,
        };
        match accepted {
            Ok((stream, _)) => serve(&mut connections, &shared, stream),
            Err(error) => {
                // Most likely the process may not open more files, where the system allows fewer than there may be
                // connections. Then one that is idle makes room.
                let evicted = shared.connections.evict();
                tracing::debug!(%error, evicted, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    drop(shared);
    while connections.join_next().await.is_some() {}
}

fn serve(connections: &mut JoinSet<()>, shared: &Arc<Shared>, stream: TcpStream) {
    connections.spawn(connection::serve(Arc::clone(shared), stream));
}

/// Listens on both families where the machine has both. A name like `localhost` may lead to either, so a port of which
/// another program has one half is not taken.
fn listen(port: u16) -> io::Result<Vec<TcpListener>> {
    let mut attempt = 1;
    loop {
        let first = listen_on((Ipv4Addr::LOCALHOST, port).into())?;
        let chosen = first.local_addr()?.port();
        match listen_on((Ipv6Addr::LOCALHOST, chosen).into()) {
            Ok(second) => return Ok(vec![first, second]),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && port == 0 && attempt < PORT_ATTEMPTS => {
                attempt += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "this machine has no IPv6 loopback address");
                return Ok(vec![first]);
            }
        }
    }
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // A restart must not wait until the system has forgotten the connections of the last run. Elsewhere than on Unix
    // this option would let two programs share the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
