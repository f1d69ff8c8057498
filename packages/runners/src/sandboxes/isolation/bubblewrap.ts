// A command in namespaces of its own, by bubblewrap: the command sees the system's programs, its own folders and nothing
// else of the host, has no network but a loopback of its own, and dies with the runner that started it.
//
// Started by root, bubblewrap makes its mounts as root, so that it may look into root's folders, and the first program
// inside becomes an ordinary user before anything else: there, root of a user namespace would be root to files and peers.

import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isWithin, type ProtectedPlaces } from '../protection/protected-places.ts'
import type { ProtectedProgram } from './engine-program.ts'
import { type SandboxUser, sandboxUser } from './sandbox-user.ts'

/** As much shared memory as container runtimes give: browsers need some, and it counts as memory. */
const SHM_BYTES = 64 * 1024 * 1024

/** The files that a command sees beyond the system's. */
export interface SandboxView {
  readonly work: string
  readonly state: string
  /** A folder on disk, shown as /tmp: a tmpfs would take the host's memory. */
  readonly tmp: string
  /** A folder for the files that name the sandbox's user. */
  readonly folder: string
  readonly readOnly: readonly string[]
  /** Folders that stay empty even where a shown folder contains them. */
  readonly hidden: readonly string[]
  /** Inside of the work folder: what is read-only, and what does not come to be. */
  readonly places?: ProtectedPlaces
  /** Shown as its copy, which commands cannot read. */
  readonly program?: ProtectedProgram
  /** A shell, as such a copy too, which becomes process 1: bubblewrap's own could be traced by the commands, and taken over. */
  readonly shell?: ProtectedProgram
  /** The host's network instead of one of its own. */
  readonly sharesNetwork?: boolean
}

/** Any number works inside a user namespace. */
const USER_ID = 1000

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
/** Names, certificates, libraries and time, which programs read; nothing that names users of the host. */
const settings = [
  'alternatives',
  'ca-certificates',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl',
  'terminfo',
  'timezone',
]
/** Private keys beside the certificates above. */
const privateKeys = ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/pki/nssdb']

export const bubblewrapCommand = (command: readonly string[], view: SandboxView, bwrap = 'bwrap'): string[] => {
  const mounts = new Map<string, string[]>()
  const show = (path: string, at = path) => mounts.set(at, ['--ro-bind', path, at])
  const closed: string[] = []
  const hide = (path: string) => {
    mounts.set(path, ['--tmpfs', path])
    closed.push('--remount-ro', path)
  }

  for (const path of systemFolders) {
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) mounts.set(path, ['--symlink', readlinkSync(path), path])
    else show(path)
  }
  for (const name of settings) {
    const path = `/etc/${name}`
    if (existsSync(path)) show(realpathSync(path), path)
  }
  for (const path of privateKeys) if (existsSync(path)) hide(path)
  for (const [name, file] of Object.entries(identityFiles(view))) show(file, `/etc/${name}`)
  for (const path of view.readOnly) show(realpathSync(path))
  if (view.program) show(view.program.copy, view.program.path)
  if (view.shell) show(view.shell.copy, INIT)
  mounts.set('/proc', ['--proc', '/proc'])
  mounts.set('/dev', ['--dev', '/dev'])
  mounts.set('/dev/shm', ['--perms', '1777', '--size', String(SHM_BYTES), '--tmpfs', '/dev/shm'])
  mounts.set('/tmp', ['--bind', view.tmp, '/tmp'])
  for (const path of view.hidden) hide(path)
  const { present = [], absent = [], hidden = [], above = [] } = view.places ?? {}
  // A folder that is mounted on itself cannot be renamed, so nothing takes the place of a protected path below it.
  for (const path of above) if (!mounts.has(path)) mounts.set(path, ['--bind', path, path])
  for (const path of present) show(path)
  for (const path of [...absent, ...hidden]) if (!view.hidden.includes(path)) hide(path)
  for (const path of [view.work, view.state]) mounts.set(path, ['--bind', path, path])

  for (const path of parentFolders([...mounts.keys()])) {
    const nearest = [...mounts.keys()]
      .filter((at) => isWithin(path, at))
      .sort(byLength)
      .at(-1)
    const isShown = nearest !== undefined && mounts.get(nearest)?.[0] === '--ro-bind'
    if (!mounts.has(path) && !isShown) mounts.set(path, ['--perms', '0755', '--dir', path])
  }

  // A folder is mounted before the paths inside it, or it would cover them.
  const inOrder = [...mounts.keys()].sort(byLength).flatMap((at) => mounts.get(at) ?? [])
  const isRoot = sandboxUser() !== null
  const names = ['pid', 'ipc', 'uts', 'cgroup-try', ...(isRoot ? [] : ['user']), ...(view.sharesNetwork ? [] : ['net'])]
  const namespaces = [...names.map((name) => `--unshare-${name}`), '--hostname', 'sandbox', '--cap-drop', 'ALL']
  const user = isRoot
    ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
    : ['--uid', `${USER_ID}`, '--gid', `${USER_ID}`]
  // A session of its own: the terminal that a runner was started from takes no keystrokes from inside.
  const bound = ['--die-with-parent', '--new-session', ...(view.shell ? ['--as-pid-1'] : [])]
  const ends = [...closed, '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/']
  const init = view.shell ? [INIT, '-c', AS_INIT, 'sh', ...command] : command
  return [bwrap, ...namespaces, ...user, ...bound, ...inOrder, ...ends, '--', ...init]
}

/** Named like a shell: some systems have one program that does what its name says. */
const INIT = '/.init/sh'
/** A shell that waits for a program also reaps orphans. Without the `exit` it would become the program. */
const AS_INIT = '"$@"; exit $?'

/** The parent folders of the mounts: bubblewrap itself would make them readable by root alone. */
const parentFolders = (paths: readonly string[]): string[] => {
  const above = (path: string): string[] => (path === '/' ? [] : [...above(dirname(path)), path])
  return [...new Set(paths.flatMap((path) => above(dirname(path))))]
}

const byLength = (one: string, other: string): number => one.length - other.length

/** Starts a real sandbox, with a separate network. Null: it works; otherwise the reason. */
export const probeBubblewrap = async (bwrap = 'bwrap'): Promise<string | null> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-probe-')))
  try {
    const [work, state, tmp] = ['work', 'state', 'tmp'].map((name) => join(folder, name)) as [string, string, string]
    for (const each of [work, state, tmp]) mkdirSync(each)
    const view = { work, state, tmp, folder, readOnly: [], hidden: [folder] }
    const [program = bwrap, ...args] = bubblewrapCommand(['true'], view, bwrap)
    const options = { timeout: 10_000, env: { PATH: process.env.PATH } }
    return await new Promise<string | null>((resolve) => {
      execFile(program, args, options, (error, _out, complaint) => {
        if (!error) return resolve(null)
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return resolve('bubblewrap (bwrap) is not installed')
        resolve(`bubblewrap does not work here: ${complaint.trim().split('\n').at(-1)?.slice(0, 200) || error.message}`)
      })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Programs look up the name of their user; the sandbox must not see the host's list of users. */
const identityFiles = ({ folder, state }: SandboxView): { readonly [name: string]: string } => {
  const { uid, gid }: SandboxUser = sandboxUser() ?? { uid: USER_ID, gid: USER_ID }
  const files = {
    passwd: `agent:x:${uid}:${gid}:agent:${state}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: `agent:x:${gid}:\nnogroup:x:65534:\n`,
  }
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => {
      const file = join(folder, name)
      writeFileSync(file, content, { mode: 0o644 })
      return [name, file]
    }),
  )
}
