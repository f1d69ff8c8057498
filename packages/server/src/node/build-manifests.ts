// A manifest for each folder that `bridle build` wrote to, stored in the data folder.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readJson } from '@bridle/runners/process/json-file'
import type { BuildManifest } from '@bridle/wire/http/wire'

/** `path` is the build folder. Never sent to callers. */
type LocalBuildManifest = BuildManifest & { readonly path: string }

export const saveBuildManifest = (
  data: string,
  folder: string,
  build: Pick<BuildManifest, 'target' | 'agents' | 'size'>,
  now: number,
): void => {
  const path = resolve(folder)
  const id = `build-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`
  const manifest: LocalBuildManifest = {
    id,
    target: build.target,
    createdAt: new Date(now).toISOString(),
    folder: relative('.', path),
    agents: build.agents,
    size: build.size,
    path,
  }
  mkdirSync(join(data, FOLDER), { recursive: true })
  writeFileSync(join(data, FOLDER, `${id}.json`), `${JSON.stringify(manifest, null, 2)}\n`)
}

const FOLDER = 'builds'

/** Newest first. Skips builds whose folder is gone; only the newest build of a folder counts. */
export const listBuildManifests = (dataFolders: readonly string[]): readonly BuildManifest[] => {
  const builds = new Map<string, BuildManifest>()
  const oldestFirst = dataFolders.flatMap(readManifests).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  for (const { path, ...manifest } of oldestFirst) if (existsSync(path)) builds.set(manifest.id, manifest)
  return [...builds.values()].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
}

const readManifests = (data: string): LocalBuildManifest[] => {
  const folder = join(data, FOLDER)
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((file) => readManifest(join(folder, file)) ?? [])
}

const readManifest = (file: string): LocalBuildManifest | null => {
  const manifest = readJson(file) as LocalBuildManifest | null
  return typeof manifest?.path === 'string' && typeof manifest.createdAt === 'string' ? manifest : null
}
