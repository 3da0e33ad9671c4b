# Any Debian or Alpine with Node 20.19 or newer and npm will do: docker build --build-arg BASE_IMAGE=registry.example/node:26 .
ARG BASE_IMAGE=node:24-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json build.mjs ./
COPY src ./src
# Source maps are of use only beside the sources, which stay behind.
RUN npm run --silent build && find dist -name '*.map' -delete && mkdir /empty

FROM ${BASE_IMAGE} AS modules
WORKDIR /src
COPY package.json package-lock.json .npmrc docker/sbom.mjs ./
# Types, maps and sources of packages are never loaded, nor is a compiler that some name as optional; licences stay.
RUN npm ci --omit=dev \
  && rm -rf node_modules/typescript \
  && node sbom.mjs --installed > sbom.cdx.json \
  && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \
       -o -name '*.tsbuildinfo' -o -name '*.flow' \) -delete

FROM ${BASE_IMAGE}
# By itself the C library keeps what each thread has freed for that thread alone: 100 MB while an index is written.
# Node looks up no more host names at once than half of its threads: two, if name servers are silent, for ten seconds each.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    UV_THREADPOOL_SIZE=128 \
    FIRN_HTTP_HOST=0.0.0.0 \
    FIRN_HTTP_PORT=8650 \
    FIRN_DATA_DIR=/var/lib/firn
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=modules /src/sbom.cdx.json ./
COPY --from=modules /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY docker/healthcheck.mjs ./docker/healthcheck.mjs
# The only folder that is written to; the rest of the image may be read-only.
COPY --from=build --chown=1000:1000 /empty /var/lib/firn
VOLUME /var/lib/firn
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8650
STOPSIGNAL SIGTERM
# Its threads count with those of the server, and Node is aborted if it cannot start as many as it is told to.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["env", "UV_THREADPOOL_SIZE=1", "node", "docker/healthcheck.mjs"]
ENTRYPOINT ["node", "dist/main.js"]
