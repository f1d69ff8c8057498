// The setting `store`, as a text: the name of a store that is built in, or the path of a module that opens one.
import { statSync } from 'node:fs'

const names: readonly string[] = ['sqlite', 'memory']

export const isBuiltInStore = (name: string): boolean => names.includes(name)

const isModulePath = (text: string): boolean => /\.[cm]?[jt]s$/.test(text)

/** The reason why a text names no store, and what to write instead; null = it names one. */
export const storeProblem = (text: string): string | null => {
  if (isBuiltInStore(text)) return null
  if (!isModulePath(text))
    return `There is no store "${text}". Take ${names.join(' or ')}, or the path of a module that opens one, such as ./store.ts.`
  return statSync(text, { throwIfNoEntry: false })?.isFile() ? null : `There is no file "${text}" to open a store with.`
}

/** The store in one line, for people. */
export const describeStore = (name: string, data: string): string => {
  if (name === 'sqlite') return `sqlite, in ${data}`
  return name === 'memory' ? 'memory: sessions end with the server' : name
}
