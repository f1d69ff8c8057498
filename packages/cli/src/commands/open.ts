import { spawn } from 'node:child_process'
import { defineCommand, sessionOptions } from '../command/command.ts'
import { createClient } from '../config/settings.ts'
import { findSession } from '../session-ids/session-prefix.ts'

export const open = defineCommand({
  options: {
    print: { type: 'boolean', help: 'only print the address' },
    ...sessionOptions,
  },
  notes: 'A browser is started only from a terminal with a display. With a token the page asks for it once.',
  run: async ({ args: [session], flags, env, out }) => {
    const fabric = await createClient(flags, env)
    // Check that a server responds before printing its address.
    const found = await (session === undefined
      ? fabric.health().then(() => null)
      : findSession(fabric, session, flags.agent))
    const url = cockpitUrl(fabric.url, found)
    if (out.isJson) out.row({ url })
    else out.line(url)
    if (flags.print || !out.canAsk || !hasDisplay(process.platform, env)) return
    out.note('Opening it in a browser.')
    await startBrowser(url)
  },
})

export const cockpitUrl = (server: string, session: { readonly id: string; readonly agent: string } | null): string => {
  const base = server.endsWith('/') ? server : `${server}/`
  if (session === null) return base
  return `${base}s/${encodeURIComponent(session.id)}?${new URLSearchParams({ agent: session.agent })}`
}

/** There is no browser over SSH or in a container. */
export const hasDisplay = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  !env.SSH_CONNECTION && (platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY))

/** Windows' `start` treats its first quoted argument as a title. */
export const browserProgram = (platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] =>
  platform === 'darwin'
    ? ['open', [url]]
    : platform === 'win32'
      ? ['cmd', ['/c', 'start', '""', url.replaceAll('&', '^&')]]
      : ['xdg-open', [url]]

/** Best effort: the address was already printed. */
const startBrowser = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const [program, args] = browserProgram(process.platform, url)
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve())
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
