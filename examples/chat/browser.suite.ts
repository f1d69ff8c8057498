// The built page in a real browser, before a real server, with a front between them that can be cut.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { HarnessServer } from 'bridle/node'
import { type Browser, chromium } from 'playwright-core'
import { build } from 'vite'
import { authenticate } from './login.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Nothing leaves the machine: the page has no other address than the front. */
export const launch = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })

export interface ChatExample {
  readonly url: string
  /** Cuts every connection, and lets none through until `mend`. */
  cut(): void
  mend(): void
  /** Ends the server and starts it again on the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** `env`: settings of the server beside its agent. */
export const startChatExample = async (env: NodeJS.ProcessEnv = {}): Promise<ChatExample> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-chat-'))
  const dist = join(folder, 'page')
  await build({
    configFile: `${here}vite.config.ts`,
    logLevel: 'warn',
    build: { outDir: dist, emptyOutDir: true, chunkSizeWarningLimit: 2000 },
  })
  const start = () =>
    HarnessServer.start({
      port: 0,
      data: join(folder, 'data'),
      agentsRoot: here,
      env: { BRIDLE_AGENT: 'notes', ...env },
      authenticate,
      log: () => {},
    })
  let harness = await start()
  const front = await serveFront(dist, () => Number(new URL(harness.url).port))
  return {
    ...front,
    restart: async () => {
      await harness.close()
      harness = await start()
    },
    close: async () => {
      front.close()
      await harness.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

const serveFront = async (dist: string, port: () => number) => {
  const open = new Set<Socket>()
  let isWhole = true
  const server: Server = createServer((request, response): void => {
    const path = new URL(request.url ?? '/', 'http://front').pathname
    // A client that could not connect asks over HTTP why.
    if (/^\/(?:ws|agents|sessions|chat|changes)\b/.test(path)) return void behindFront(request, response)
    const file = path === '/' ? '/index.html' : path
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream')
    response.end(readFileSync(join(dist, file)))
  })
  const behindFront = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '' } = request
    const headers = { cookie: request.headers.cookie ?? '', 'content-type': 'application/json' }
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: await text(request) }
    const answer = isWhole
      ? await fetch(`http://127.0.0.1:${port()}${url}`, { method, headers, ...body }).catch(() => null)
      : null
    if (!answer) return void response.destroy()
    response.writeHead(answer.status).end(await answer.text())
  }
  server.on('upgrade', (request, socket: Socket, head): void => {
    if (!isWhole) return void socket.destroy()
    const behind = connect(port(), '127.0.0.1', () => {
      const headers = request.rawHeaders.flatMap((name, at) =>
        at % 2 ? [] : [`${name}: ${request.rawHeaders[at + 1]}`],
      )
      behind.write(`${[`${request.method} ${request.url} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`)
      behind.write(head)
      socket.pipe(behind).pipe(socket)
    })
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isWhole = false
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isWhole = true
    },
    close: () => {
      cut()
      server.close()
      server.closeAllConnections()
    },
  }
}
