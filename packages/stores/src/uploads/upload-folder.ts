import { existsSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Upload } from '@bridle/kernel/ports/uploads'
import { makeFolder } from '../folder-lock.ts'

export interface UploadFolder {
  list(): Promise<readonly Upload[]>
  /** Write the bytes first: a file with metadata is complete. */
  write(id: string, bytes: Uint8Array): Promise<void>
  describe(upload: Upload): Promise<void>
  read(id: string): Promise<Uint8Array | null>
  remove(id: string): Promise<void>
}

export const memoryUploadFolder = (): UploadFolder => {
  const files = new Map<string, Uint8Array>()
  return {
    list: async () => [],
    write: async (id, bytes) => {
      files.set(id, bytes)
    },
    describe: async () => {},
    read: async (id) => files.get(id) ?? null,
    remove: async (id) => {
      files.delete(id)
    },
  }
}

const FACTS = '.json'

/** Two files per upload: the bytes, and the metadata as JSON. Names are our ids, never caller input. */
export const uploadFolder = (path: string): UploadFolder => {
  const factsOf = (id: string) => join(path, `${id}${FACTS}`)
  return {
    list: async () => {
      if (!existsSync(path)) return []
      const names = await readdir(path)
      const described = new Set(
        names.filter((name) => name.endsWith(FACTS)).map((name) => name.slice(0, -FACTS.length)),
      )
      // Bytes without metadata are from an incomplete upload.
      for (const name of names) if (!name.endsWith(FACTS) && !described.has(name)) await rm(join(path, name))
      return Promise.all([...described].map(async (id) => JSON.parse(await readFile(factsOf(id), 'utf8')) as Upload))
    },
    write: async (id, bytes) => {
      makeFolder(path)
      await writeSynced(join(path, id), bytes)
    },
    describe: (upload) => writeSynced(factsOf(upload.id), Buffer.from(JSON.stringify(upload))),
    read: (id) =>
      readFile(join(path, id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    remove: async (id) => {
      await rm(factsOf(id), { force: true })
      await rm(join(path, id), { force: true })
    },
  }
}

/** Atomic replacement: a crash leaves the old file or the new one. */
const writeSynced = async (path: string, bytes: Uint8Array): Promise<void> => {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  // The rename is durable once the folder is synced.
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
