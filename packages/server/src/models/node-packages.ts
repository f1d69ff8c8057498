// Imports the user's provider packages from the agents' folder, on first use.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shortErrorMessage } from '@bridle/agents/session/error-message'
import type { ModelProvider, ProviderPackages } from './model-source.ts'
import { factoryNames, instanceNames, packageOf } from './provider-conventions.ts'

export const packagesFolder = (agents: unknown, agentsRoot: string | false = '.'): string =>
  resolve(agentsRoot || '.', typeof agents === 'string' ? agents : '.')

export const nodePackages = (root: string): ProviderPackages => {
  const folder = resolve(root)
  return {
    isInstalled: (provider) => isInstalledAbove(folder, packageOf(provider)),
    load: async (provider, settings) => {
      const exported = await importFrom(folder, packageOf(provider))
      // Prefer a new instance: the package's own reads its key from the environment, where `bridle start` keeps none.
      const factory = pick(exported, factoryNames(provider))
      if (typeof factory === 'function') return factory(settings) as ModelProvider
      const instance = pick(exported, instanceNames(provider))
      if (typeof instance === 'function' || typeof instance === 'object') return instance as ModelProvider
      throw new Error(
        `${packageOf(provider)} exports no provider. Pass it to the server: models: { '${provider}': … }.`,
      )
    },
  }
}

/** Clients see the error message, so it must not contain paths of this machine. */
const importFrom = async (folder: string, name: string): Promise<Exports> => {
  try {
    const { resolve: resolveFrom } = createRequire(join(folder, 'package.json'))
    const address = pathToFileURL(resolveFrom(name)).href
    return exportsOf((await import(/* @vite-ignore */ address)) as Exports)
  } catch (cause) {
    throw new Error(firstLine(shortErrorMessage(cause)).replaceAll(`${folder}/`, ''), { cause })
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

type Exports = { readonly [name: string]: unknown }

/** CommonJS packages put all exports into `default`. */
const exportsOf = (module: Exports): Exports => ({ ...(module.default as Exports | undefined), ...module })

const pick = (exported: Exports, names: readonly string[]): unknown =>
  names
    .map((name) => Object.keys(exported).find((each) => each.toLowerCase() === name))
    .map((name) => (name === undefined ? undefined : exported[name]))
    .find((value) => value !== undefined && value !== null)

const isInstalledAbove = (from: string, name: string): boolean => {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true
    if (dirname(folder) === folder) return false
  }
}
