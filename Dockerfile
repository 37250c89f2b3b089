# The mock in a container: docker build -t tideover . && docker run --rm -p 4010:4010 tideover
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked -p tideover-harness --bin tideover

# The C library and certificates, without a shell, as a user without rights.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/dist/tideover /usr/local/bin/tideover
COPY --from=build /src/LICENSE-MIT /src/LICENSE-APACHE /usr/share/doc/tideover/
# Any option of `tideover serve` may be set like these.
ENV TIDEOVER_ADDRESS=0.0.0.0 TIDEOVER_PORT=4010
EXPOSE 4010
HEALTHCHECK --interval=5s --timeout=5s --start-period=5s --retries=3 \
  CMD ["tideover", "ready", "--within", "0"]
ENTRYPOINT ["tideover"]
CMD ["serve"]
