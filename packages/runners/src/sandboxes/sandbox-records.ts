// The record of a sandbox, a file in its folder by which the next process finds it. It holds no secret.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readJson, writeJson } from '../process/json-file.ts'

const text = v.string()
const recordSchema = v.object({
  id: v.pipe(text, v.regex(/^box-[0-9a-f]{16}$/)),
  key: v.object({ tenant: text, agent: text, id: text }),
  /** False while the sandbox starts, and in records of an earlier version: its runner cannot be reached. */
  isReady: v.optional(v.boolean(), false),
  pid: v.pipe(v.number(), v.integer(), v.minValue(2)),
  startedAt: v.nullable(text),
  bornAt: v.number(),
  notice: v.object({ requestedBackend: text, resolvedBackend: text, isolation: text, reason: v.optional(text) }),
})

export type SandboxRecord = Readonly<v.InferOutput<typeof recordSchema>>

export class SandboxRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  folderOf(id: string): string {
    return join(this.#folder, id)
  }

  ids(): string[] {
    return readdirSync(this.#folder)
  }

  /** Null: there is no record with this id, or it cannot be read. */
  read(id: string): SandboxRecord | null {
    if (!this.ids().includes(id)) return null
    const file = join(this.folderOf(id), 'record.json')
    const read = v.safeParse(recordSchema, readJson(file))
    return read.success && read.output.id === id ? read.output : null
  }

  /** Writes the whole record or nothing. */
  write(record: SandboxRecord): void {
    writeJson(join(this.folderOf(record.id), 'record.json'), record)
  }

  remove(id: string): void {
    rmSync(this.folderOf(id), { recursive: true, force: true, maxRetries: 3 })
  }
}
