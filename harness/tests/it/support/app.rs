//! A service of a test on a free port.

use axum::Router;
use tokio::net::TcpListener;

/// Serves `app`, and returns its origin.
pub(crate) async fn serve(app: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    origin
}
