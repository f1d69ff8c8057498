// A command in namespaces of its own, by bubblewrap: it sees the system's programs, its own folders and nothing else of
// the host. It outlives the server on purpose, so it does not die with its parent; its group can be killed, and all
// that is in its process namespace goes with it. The network is the host's: the credential proxy is on loopback.
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
import { join } from 'node:path'

/** What the command sees beyond the system. */
export interface View {
  readonly work: string
  readonly state: string
  /** On disk, shown as /tmp: in memory it would be without a limit. */
  readonly tmp: string
  /** Where the files are put that say who it is. */
  readonly folder: string
  readonly readOnly: readonly string[]
  /** Empty even where something shown contains it. */
  readonly hidden: string
}

export const USER_ID = 1000

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
/** Names, certificates, libraries and time: what programs read, and nothing that says who else is here. */
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

export const bubblewrapped = (command: readonly string[], view: View, bwrap = 'bwrap'): string[] => {
  const mounts = new Map<string, string[]>()
  const show = (path: string, at = path) => mounts.set(at, ['--ro-bind', path, at])

  for (const path of systemFolders) {
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) mounts.set(path, ['--symlink', readlinkSync(path), path])
    else show(path)
  }
  for (const name of settings) {
    const path = `/etc/${name}`
    if (existsSync(path)) show(realpathSync(path), path)
  }
  for (const [name, file] of Object.entries(identity(view))) show(file, `/etc/${name}`)
  for (const path of view.readOnly) show(realpathSync(path))
  mounts.set('/proc', ['--proc', '/proc'])
  // Root outside may write the system's settings through it, whoever it is inside; and `core_pattern` is a way out.
  // Nobody else may, and uncovered it lets an engine have a sandbox of its own in there.
  if (process.getuid?.() === 0) show('/proc/sys')
  mounts.set('/dev', ['--dev', '/dev'])
  mounts.set('/tmp', ['--bind', view.tmp, '/tmp'])
  mounts.set(view.hidden, ['--tmpfs', view.hidden])
  for (const path of [view.work, view.state]) mounts.set(path, ['--bind', path, path])

  // A folder before what lies in it, or it would cover that.
  const inOrder = [...mounts].sort(([one], [other]) => one.length - other.length).flatMap(([, mount]) => mount)
  const namespaces = ['user', 'pid', 'ipc', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`)
  const user = ['--uid', `${USER_ID}`, '--gid', `${USER_ID}`, '--cap-drop', 'ALL', '--hostname', 'sandbox']
  const closed = ['--remount-ro', view.hidden, '--remount-ro', '/']
  return [bwrap, ...namespaces, ...user, ...inOrder, ...closed, '--chdir', view.work, '--', ...command]
}

/** Really runs one. Null: it works; else why not. */
export const probeBubblewrap = async (bwrap = 'bwrap'): Promise<string | null> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-probe-')))
  try {
    const [work, state, tmp] = ['work', 'state', 'tmp'].map((name) => join(folder, name)) as [string, string, string]
    for (const each of [work, state, tmp]) mkdirSync(each)
    const view = { work, state, tmp, folder, readOnly: [], hidden: folder }
    const [program = bwrap, ...args] = bubblewrapped(['true'], view, bwrap)
    return await new Promise<string | null>((resolve) => {
      execFile(program, args, { timeout: 10_000, env: { PATH: process.env.PATH } }, (error, _out, complaint) => {
        if (!error) return resolve(null)
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return resolve('bubblewrap (bwrap) is not installed')
        resolve(`bubblewrap does not work here: ${complaint.trim().split('\n').at(-1)?.slice(0, 200) || error.message}`)
      })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Programs ask for their user's name; the host's list of users is not theirs to read. */
const identity = ({ folder, state }: View): { readonly [name: string]: string } => {
  const files = {
    passwd: `agent:x:${USER_ID}:${USER_ID}:agent:${state}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: `agent:x:${USER_ID}:\nnogroup:x:65534:\n`,
  }
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => {
      const file = join(folder, name)
      writeFileSync(file, content)
      return [name, file]
    }),
  )
}
