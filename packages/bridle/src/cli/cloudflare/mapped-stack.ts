// The stack of an error in a bundle, with the places in the files that the bundle was made of.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A line stays as it is where no map is beside its file. Maps are read each time: a changed file makes another bundle. */
export const mappedStack = (stack: string): string => {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (path: string): SourceMap | null => {
    const known = maps.get(path) ?? (maps.has(path) ? null : readMap(path))
    maps.set(path, known)
    return known
  }
  return stack.replaceAll(PLACE, (place, address: string, line: string, column: string) => {
    const path = pathOf(address)
    const origin = mapOf(path)?.findOrigin(Number(line), Number(column))
    if (!origin || !('fileName' in origin)) return place
    return `${resolve(dirname(path), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
  })
}

/** Whether a file is still as the bundle of this stack has it; true where no place of the stack is in a bundle. */
export const isAsBuilt = (stack: string, file: string): boolean => {
  for (const [, address = ''] of stack.matchAll(PLACE)) {
    const path = pathOf(address)
    const { sources = [], sourcesContent = [] } = readMap(path)?.payload ?? {}
    const at = sources.findIndex((source) => resolve(dirname(path), source) === file)
    if (at >= 0) return existsSync(file) && sourcesContent[at] === readFileSync(file, 'utf8')
  }
  return true
}

const pathOf = (address: string): string => (address.startsWith('file:') ? fileURLToPath(address) : address)

/** The place at the end of a line of a stack: an address or a path, its line and its column. */
const PLACE = /((?:file:\/\/)?\/[^\s():]+):(\d+):(\d+)(?=\)?$)/gm

const readMap = (path: string): SourceMap | null => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  } catch {
    return null
  }
}
