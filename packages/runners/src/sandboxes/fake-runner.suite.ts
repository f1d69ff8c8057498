// A fake runner in its own process: it answers requests, plays no runs, and reports what it can see from its sandbox.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { RunnerFetch } from '../remote/provider.ts'

export interface FakeRunner {
  readonly url: string
  readonly fetch?: RunnerFetch
  readonly token: string | null
}

const file = fileURLToPath(import.meta.url)
export const fakeRunner = (...args: string[]): string[] => [process.execPath, file, ...args]

export const setBusy = (fake: FakeRunner, busy: boolean): Promise<unknown> => ask(fake, '/busy', { busy })
/** The output of a shell command inside the sandbox. */
export const shell = async (fake: FakeRunner, command: string): Promise<string> =>
  ((await ask(fake, '/shell', { command })) as { output: string }).output.trim()

const ask = async (
  { url, token, fetch: fetchRunner = fetch }: FakeRunner,
  path: string,
  body: object,
): Promise<unknown> => {
  const answer = await fetchRunner(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.json()
}

const serve = () => {
  const { BRIDLE_RUNNER_TOKEN_FROM: from, BRIDLE_RUNNER_TOKEN } = process.env
  const token = from === 'stdin' ? readFileSync(0, 'utf8').trim() : BRIDLE_RUNNER_TOKEN
  const { BRIDLE_RUNNER_WORK: workFolder = '.', BRIDLE_RUNNER_STATE: stateFolder = '.' } = process.env
  for (const folder of [workFolder, stateFolder]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const vars: { [name: string]: string | null } = {}
  let busy = false
  const instance = `${process.pid}-${Date.now()}`
  const routes: { [name: string]: (body: never) => Promise<object> | object } = {
    'PUT /env': (body: { vars: typeof vars }) => Object.assign(vars, body.vars),
    'POST /busy': (body: { busy: boolean }) => {
      busy = body.busy
      return {}
    },
    'POST /shell': ({ command }: { command: string }) =>
      new Promise((resolve) =>
        execFile('/bin/sh', ['-c', command], { timeout: 20_000, cwd: workFolder }, (_error, out, err) =>
          resolve({ output: out + err }),
        ),
      ),
    'POST /stop': () => {
      if (!process.argv.includes('--deaf')) setTimeout(() => process.exit(0), 5)
      return {}
    },
  }
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    if (request.url === '/health') {
      const hasAnthropicKey = Boolean(vars.ANTHROPIC_API_KEY)
      return answer(200, { ok: true, busy, hasAnthropicKey, hasOpenAIKey: false, instance, requestId: null })
    }
    if (token && request.headers.authorization !== `Bearer ${token}`) return answer(401, {})
    const route = routes[`${request.method} ${request.url}`]
    return route ? answer(200, await route((await json(request)) as never)) : answer(404, {})
  })
  const announce = () => {
    const address = server.address()
    console.log('A line that is not the announcement.')
    console.log(
      JSON.stringify({ url: `http://${typeof address === 'object' ? `127.0.0.1:${address?.port}` : 'runner'}` }),
    )
  }
  const { BRIDLE_RUNNER_SOCKET: socketPath } = process.env
  if (socketPath) server.listen(socketPath, announce)
  else server.listen(0, '127.0.0.1', announce)
}

if (process.argv[1] === file) serve()
