// A disk that can be full. Where the machine lets us mount, it is a small file system in memory; elsewhere the server's writes
// are refused by the preloaded library.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FailingDiskLibrary, noCompiler } from './preload.ts'

/** Room for the logs of some hundred rounds. */
const SIZE = '64m'
const BLOCK_BYTES = 64 * 1024

export class FillableDisk {
  /** Null where the disk is a real one. */
  readonly preload: FailingDiskLibrary | null
  readonly #data: string
  readonly #ballast: string

  private constructor(data: string, preload: FailingDiskLibrary | null) {
    this.#data = data
    this.#ballast = join(data, 'ballast')
    this.preload = preload
  }

  get note(): string {
    return this.preload
      ? 'Here a preloaded library refused the writes.'
      : `Here the disk was a file system in memory (${SIZE}).`
  }

  static missing(): string | null {
    return canMount() ? null : noCompiler() === null ? null : 'no right to mount, and no compiler'
  }

  static make(folder: string): FillableDisk {
    const data = join(folder, 'data')
    mkdirSync(data, { recursive: true, mode: 0o700 })
    return mount(data) ? new FillableDisk(data, null) : new FillableDisk(data, FailingDiskLibrary.make(folder))
  }

  fill(): void {
    if (this.preload) return this.preload.setFull(true)
    const file = openSync(this.#ballast, 'a')
    for (let bytes = BLOCK_BYTES; bytes >= 1; )
      try {
        writeSync(file, Buffer.alloc(bytes))
      } catch {
        bytes = Math.floor(bytes / 2)
      }
    closeSync(file)
  }

  free(): void {
    if (this.preload) this.preload.setFull(false)
    else rmSync(this.#ballast, { force: true })
  }

  remove(): void {
    if (!this.preload) spawnSync('umount', [this.#data])
  }
}

const mount = (folder: string): boolean =>
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', folder]).status === 0

/** Found out by trying: a container may forbid a mount even to root. */
const canMount = (): boolean => {
  if (process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'bridle-mount-'))
  const isMounted = mount(folder)
  if (isMounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return isMounted
}
