// Programs of ours that tests start from source load nine hundred files each, and resolving and stripping them takes longer than all the rest of
// a start. A snapshot has the resolved imports and the stripped text of every file; one start records it, and the others read it:
//
//   spawn(process.execPath, [...fromSource, main, ...])
//
// Without a snapshot the same arguments load the files themselves.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type LoadHookSync, type ResolveHookSync, registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with the snapshot. Set by scripts/process-test-setup.ts for the sources of this run. */
export const SNAPSHOT_FOLDER = 'TEST_MODULE_SNAPSHOT'

/** Arguments of Node for a program of the checkout. */
export const fromSource: readonly string[] = [
  '--conditions=bridle-source',
  `--import=${new URL('serve-module-snapshot.ts', import.meta.url)}`,
]

interface SnapshotIndex {
  /** By importing file and specifier: the URL and its format. */
  readonly resolved: { readonly [parent: string]: { readonly [specifier: string]: readonly [string, string] } }
  /** By URL: where the text is in the file of texts, in bytes. */
  readonly texts: { readonly [url: string]: readonly [start: number, length: number] }
}

/** Serves the modules of a snapshot. Modules that it does not have are loaded as usual. */
export const serveSnapshot = (folder: string): void => {
  const indexFile = join(folder, 'index.json')
  if (!existsSync(indexFile)) return
  const { resolved, texts }: SnapshotIndex = JSON.parse(readFileSync(indexFile, 'utf8'))
  const all = readFileSync(join(folder, 'texts'))
  const resolve: ResolveHookSync = (specifier, context, next) => {
    const found = resolved[context.parentURL ?? '']?.[specifier]
    return found ? { url: found[0], format: found[1], shortCircuit: true } : next(specifier, context)
  }
  const load: LoadHookSync = (url, context, next) => {
    const place = texts[url]
    if (!place) return next(url, context)
    const [start, length] = place
    return { format: 'module', source: all.toString('utf8', start, start + length), shortCircuit: true }
  }
  registerHooks({ resolve, load })
}

/** Records what this process loads from now on. Returns the function that writes it. */
export const recordSnapshot = (root: URL): ((folder: string) => void) => {
  const resolved: Record<string, Record<string, [string, string]>> = {}
  const urls = new Set<string>()
  const resolve: ResolveHookSync = (specifier, context, next) => {
    const result = next(specifier, context)
    const { parentURL = '' } = context
    // An import with attributes, or by `require`, has rules of its own.
    const isPlain = context.conditions.includes('import') && Object.keys(context.importAttributes).length === 0
    if (!isPlain || !parentURL.startsWith(root.href) || !result.format) return result
    resolved[parentURL] ??= {}
    resolved[parentURL][specifier] = [result.url, result.format]
    if (result.format.startsWith('module') && result.url.startsWith(root.href)) urls.add(result.url)
    return result
  }
  registerHooks({ resolve })
  return (folder) => {
    const texts: Record<string, [number, number]> = {}
    const parts: Buffer[] = []
    let end = 0
    for (const url of urls) {
      const source = readFileSync(fileURLToPath(url), 'utf8')
      const part = Buffer.from(url.endsWith('.ts') ? stripTypeScriptTypes(source) : source)
      texts[url] = [end, part.length]
      parts.push(part)
      end += part.length
    }
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'texts'), Buffer.concat(parts))
    // Last, and whole: a program that finds the index finds everything.
    const index = join(folder, `index.${process.pid}`)
    writeFileSync(index, JSON.stringify({ resolved, texts } satisfies SnapshotIndex))
    renameSync(index, join(folder, 'index.json'))
  }
}
