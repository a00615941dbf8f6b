//! Resolves, checks and connects: nothing is dialled that was not looked at.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::guard::{self, Refused};

type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong before a connection stood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectFault {
    #[error("could not resolve the name")]
    Unresolved,
    #[error("the address is blocked")]
    Blocked(Refused),
    #[error("no encrypted connection")]
    Tls,
}

/// Looks names up and drops every address that must not be reached.
#[derive(Clone, Debug)]
pub(crate) struct Resolver;

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = ConnectFault;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0))
                .await
                .map_err(|_| ConnectFault::Unresolved)?;
            let mut why = None;
            let mut allowed = Vec::new();
            for address in found {
                match guard::refused(address.ip()) {
                    Some(refused) => why = Some(refused),
                    None => allowed.push(address),
                }
            }
            match why {
                _ if !allowed.is_empty() => Ok(allowed.into_iter()),
                Some(why) => Err(ConnectFault::Blocked(why)),
                None => Err(ConnectFault::Unresolved),
            }
        })
    }
}

/// Plain and encrypted connections. Certificates of the system are loaded with the first encrypted one.
#[derive(Clone)]
pub(crate) struct Connector {
    plain: HttpConnector<Resolver>,
    tls: Arc<OnceLock<Option<Arc<ClientConfig>>>>,
}

impl Connector {
    pub(crate) fn new(timeout: Duration) -> Self {
        let mut plain = HttpConnector::new_with_resolver(Resolver);
        plain.enforce_http(false);
        plain.set_nodelay(true);
        plain.set_connect_timeout(Some(timeout));
        Self {
            plain,
            tls: Arc::default(),
        }
    }
}

fn tls_config() -> Option<Arc<ClientConfig>> {
    let config = ClientConfig::builder().with_native_roots().ok()?.with_no_client_auth();
    Some(Arc::new(config))
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = Boxed;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.plain.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        // An address in digits never passes the resolver, so it is looked at here.
        let host = uri.host().unwrap_or_default();
        let literal: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        if let Some(why) = literal.and_then(guard::refused) {
            return Box::pin(async move { Err(ConnectFault::Blocked(why).into()) });
        }
        let mut plain = self.plain.clone();
        if uri.scheme_str() != Some("https") {
            return Box::pin(async move { Ok(MaybeHttpsStream::Http(plain.call(uri).await?)) });
        }
        let tls = Arc::clone(&self.tls);
        Box::pin(async move {
            let config = tls.get_or_init(tls_config).clone().ok_or(ConnectFault::Tls)?;
            let mut secure = HttpsConnector::from((plain, config));
            secure.call(uri).await.map_err(|error| {
                let error: Boxed = error;
                if is_of_tls(error.as_ref()) {
                    ConnectFault::Tls.into()
                } else {
                    error
                }
            })
        })
    }
}

/// The next cause of an error. An i/o error hides the error that it wraps from `source`.
pub(crate) fn cause<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// Whether the handshake failed, and not the connection under it.
fn is_of_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<rustls::Error>() {
            return true;
        }
        next = cause(error);
    }
    false
}
