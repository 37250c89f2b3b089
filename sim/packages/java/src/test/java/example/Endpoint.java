package example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Where the example listens. It can be down for the next webhooks. */
public final class Endpoint implements AutoCloseable {
    private final Books books;
    private final HttpServer server;
    private int downFor;

    public Endpoint(Books books) throws IOException {
        this.books = books;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
    }

    synchronized void goDown(int deliveries) {
        downFor = deliveries;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(isDown() ? 503 : books.receive(exchange.getRequestHeaders(), body), -1);
        }
    }

    private synchronized boolean isDown() {
        return downFor > 0 && downFor-- > 0;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
