# SPDX-License-Identifier: Apache-2.0
# The Debian package, built by scripts/package, in an image without compilers.
#   docker build -t asterism .
#   docker run --rm asterism asterism-cg --stencil 11pts-64 --verify
FROM debian:bookworm AS build
COPY . /asterism
RUN /asterism/scripts/package /package

FROM debian:bookworm-slim
COPY --from=build /package/*.deb /package/
RUN apt-get update && apt-get install -y /package/*.deb && rm -rf /package /var/lib/apt/lists/*
WORKDIR /work
CMD ["asterism-cg", "--help"]
