import { statSync } from 'node:fs'

export type StoreName = 'sqlite' | 'memory'

const builtInStores: { readonly [name in StoreName]: (data: string) => string } = {
  sqlite: (data) => `sqlite, in ${data}`,
  memory: () => 'memory: sessions end with the server',
}

export const isBuiltInStore = (name: string): name is StoreName => Object.hasOwn(builtInStores, name)

const isModulePath = (text: string): boolean => /\.[cm]?[jt]s$/.test(text)

export const storeProblem = (text: string): string | null => {
  if (isBuiltInStore(text)) return null
  if (!isModulePath(text))
    return `There is no store "${text}". Take ${Object.keys(builtInStores).join(' or ')}, or the path of a module that opens one, such as ./store.ts.`
  return statSync(text, { throwIfNoEntry: false })?.isFile() ? null : `There is no file "${text}" to open a store with.`
}

export const describeStore = (name: string, data: string): string =>
  isBuiltInStore(name) ? builtInStores[name](data) : name
