// The built app: how much a browser loads before it shows the list, and nothing in it that the policy forbids.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, test, vi } from 'vitest'

const FIRST_LOAD_BYTES_MAX = 160_000

const config = fileURLToPath(new URL('../vite.config.ts', import.meta.url))
const files = new Map<string, Rolldown.OutputChunk | Rolldown.OutputAsset>()

beforeAll(async () => {
  // As it is published: Vitest says `test`, which brings React for developers.
  vi.stubEnv('NODE_ENV', 'production')
  const built = await build({ configFile: config, logLevel: 'silent', build: { write: false } })
  for (const file of (built as Rolldown.RolldownOutput).output) files.set(file.fileName, file)
  vi.unstubAllEnvs()
})

const chunks = (): Rolldown.OutputChunk[] => [...files.values()].filter((file) => file.type === 'chunk')
const contentOf = (file: Rolldown.OutputChunk | Rolldown.OutputAsset): string | Uint8Array =>
  file.type === 'chunk' ? file.code : file.source

/** Rooms of the package that a page may hold. */
const pageRooms = ['assistant-ui', 'bridle', 'client', 'events', 'history', 'kernel', 'react', 'wire', 'words']

/** The chunk that a module is in. */
const chunkOf = (module: string): Rolldown.OutputChunk => {
  const found = chunks().find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)))
  if (!found) throw new Error(`No chunk has ${module}.`)
  return found
}

/** A chunk and all that it imports at once. */
const withImports = (chunk: Rolldown.OutputChunk, found = new Set<Rolldown.OutputChunk>()) => {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const name of chunk.imports) withImports(files.get(name) as Rolldown.OutputChunk, found)
  return found
}

/** The list's page: the entry, the page that `/` loads, and the styles of both. */
const firstChunks = (): Rolldown.OutputChunk[] => [
  ...new Set([...withImports(chunkOf('src/main.tsx')), ...withImports(chunkOf('src/sessions/sessions-page.tsx'))]),
]

const stylesOf = (chunk: Rolldown.OutputChunk): string[] => [
  ...((chunk as { viteMetadata?: { importedCss: Set<string> } }).viteMetadata?.importedCss ?? []),
]

describe('the built app', () => {
  test('the list needs less than 160 kB, and nothing of the chat', () => {
    const first = firstChunks()
    const names = ['index.html', ...first.map(({ fileName }) => fileName), ...new Set(first.flatMap(stylesOf))]
    const bytes = names.map((name) => gzipSync(contentOf(files.get(name)!)).byteLength)
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(FIRST_LOAD_BYTES_MAX)
    const modules = first.flatMap(({ moduleIds }) => moduleIds)
    expect(
      modules.filter((id) => /@assistant-ui|assistant-stream|marked|node_modules\/diff|session\/thread/.test(id)),
    ).toEqual([])
    expect(chunkOf('src/session/session-page.tsx').isDynamicEntry).toBe(true)
  })

  test('has no script, style or picture within another file', () => {
    const page = String(contentOf(files.get('index.html')!))
    expect(page.match(/<style|<script(?![^>]*\bsrc=)|\bstyle=|\bon[a-z]+=|data:/g)).toBe(null)
    const within = [...files.values()].filter(
      (file) =>
        /\.(js|css|svg)$/.test(file.fileName) &&
        /url\(["']?data:|["'`]data:(?:image|font|text\/(?:css|javascript)|application)[/;,a-z-]*[;,]/.test(
          String(contentOf(file)),
        ),
    )
    expect(within.map(({ fileName }) => fileName)).toEqual([])
    // Only files of the server itself: no address of another one is loaded.
    expect(page.match(/(?:src|href)="(?:https?:)?\/\//g)).toBe(null)
  })

  test('has no code of the server', () => {
    const source = fileURLToPath(new URL('../../../packages/', import.meta.url))
    const rooms = chunks()
      .flatMap(({ moduleIds }) => moduleIds)
      .filter((id) => id.startsWith(source))
      .map((id) => id.slice(source.length).split('/')[0])
    expect(rooms.filter((room) => !pageRooms.includes(room ?? ''))).toEqual([])
    expect(rooms).toContain('client')
    const node = chunks().filter(({ code }) => /from\s*["']node:|require\(["']node:|__vite-browser-external/.test(code))
    expect(node.map(({ fileName }) => fileName)).toEqual([])
  })

  test('names the licence of each package in it', () => {
    const names = chunks()
      .flatMap(({ moduleIds }) => moduleIds)
      .flatMap((id) => id.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? [])
    const text = String(contentOf(files.get('licenses/packages.md')!))
    expect([...new Set(names)].filter((name) => !text.includes(`## ${name} `))).toEqual([])
    expect(names).toContain('react-dom')
  })
})
