// The failing disk of preload.c: built where there is a compiler, loaded into the server only, and controlled through a file of
// four numbers that both processes map.
import { spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sendProbes } from './probes.ts'
import type { CrashWorld } from './world.ts'

const source = fileURLToPath(new URL('./preload.c', import.meta.url))
const storeFiles = ['bridle.sqlite', 'bridle.sqlite-wal'] as const
/** The offset of each number in the control file. */
const places = { failing: 0, full: 1, failed: 2, synced: 3 } as const
const NUMBER_BYTES = 4

/** Null where the library can be built and loaded. */
export const noCompiler = (): string | null => {
  if (process.platform !== 'linux') return 'no LD_PRELOAD here'
  return spawnSync('cc', ['--version']).status === 0 ? null : 'no compiler'
}

export class FailingDiskLibrary {
  readonly env: NodeJS.ProcessEnv
  readonly #disk: string
  readonly #control: string

  private constructor(library: string, disk: string, control: string) {
    this.#disk = disk
    this.#control = control
    this.env = { LD_PRELOAD: library, BRIDLE_CRASH_DISK: disk, BRIDLE_CRASH_CONTROL: control }
  }

  static make(folder: string): FailingDiskLibrary {
    const library = join(folder, 'preload.so')
    const built = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl', '-lpthread'], {
      encoding: 'utf8',
    })
    if (built.status !== 0) throw new Error(`preload.c cannot be built: ${built.stderr}`)
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    const control = join(folder, 'control')
    const file = openSync(control, 'w')
    writeSync(file, Buffer.alloc(Object.keys(places).length * NUMBER_BYTES))
    closeSync(file)
    return new FailingDiskLibrary(library, disk, control)
  }

  /** Kills the server; the next one finds what had reached the disk. */
  async powerCut({ server, data }: CrashWorld): Promise<void> {
    await server.kill('SIGKILL')
    rmSync(join(data, 'bridle.sqlite-shm'), { force: true })
    for (const name of storeFiles) {
      const [kept, file] = [join(this.#disk, name), join(data, name)]
      if (existsSync(kept)) copyFileSync(kept, file)
      else rmSync(file, { force: true })
    }
    await server.boot()
  }

  /** The next syncs fail; the server continues for a while, and then the power is cut. */
  async failSyncs(world: CrashWorld, times: number): Promise<void> {
    const before = this.#get('failed')
    this.#set('failing', times)
    for (let tries = 0; this.#get('failed') < before + times && tries < WAIT_TRIES; tries++) await sleep(WAIT_MS)
    this.#set('failing', 0)
    const probes = await sendProbes(world)
    await this.powerCut(world)
    await probes.check()
  }

  setFull(isFull: boolean): void {
    this.#set('full', isFull ? 1 : 0)
  }

  #get(name: keyof typeof places): number {
    return readFileSync(this.#control).readInt32LE(places[name] * NUMBER_BYTES)
  }

  #set(name: keyof typeof places, value: number): void {
    const bytes = Buffer.alloc(NUMBER_BYTES)
    bytes.writeInt32LE(value)
    const file = openSync(this.#control, 'r+')
    writeSync(file, bytes, 0, NUMBER_BYTES, places[name] * NUMBER_BYTES)
    closeSync(file)
  }
}

const WAIT_MS = 5
const WAIT_TRIES = 200
