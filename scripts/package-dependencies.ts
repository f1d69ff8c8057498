// The manifests of the packages, compared with what their files import.
import type { Modules } from './modules.ts'

export interface Manifest {
  readonly name: string
  /** The published package has all others inside, and installs none of them. */
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package of ours by the name of its folder: its manifest, its sources, and its tests. */
export interface PackageFacts {
  readonly manifest: Manifest
  readonly product: Modules
  readonly tests: Modules
}

/** Imports without a declaration, and declarations without an import, as sentences. */
export const dependencyFindings = (packages: ReadonlyMap<string, PackageFacts>): string[] =>
  [...packages].flatMap(([name, { manifest, product, tests }]) => {
    const isPublished = manifest.private !== true
    const declared = ours((isPublished ? manifest.devDependencies : manifest.dependencies) ?? {})
    const forTests = ours((isPublished ? {} : manifest.devDependencies) ?? {})
    const used = importedPackages(product, name)
    const usedByTests = importedPackages(tests, name)
    const findings = (problem: string, names: readonly string[], ...known: readonly (readonly string[])[]) =>
      names.filter((each) => !known.some((list) => list.includes(each))).map((each) => `${name}: ${problem} ${each}`)
    return [
      ...findings('imports without a dependency:', used, declared),
      ...findings('tests import without a dependency:', usedByTests, declared, forTests),
      ...findings('has an unused dependency:', declared, used),
      ...findings('has an unused dependency of tests:', forTests, usedByTests),
    ]
  })

/** Packages that depend on themselves through others, dependencies of tests included. */
export const packageCycles = (packages: ReadonlyMap<string, PackageFacts>): string[] => {
  const needs = (name: string) => {
    const manifest = packages.get(name)?.manifest
    return ours({ ...manifest?.dependencies, ...manifest?.devDependencies })
  }
  return [...packages.keys()].filter((start) => {
    const seen = new Set<string>()
    const queue = [...needs(start)]
    for (const name of queue)
      if (!seen.has(name)) {
        seen.add(name)
        queue.push(...needs(name))
      }
    return seen.has(start)
  })
}

const SCOPE = '@bridle/'

const ours = (dependencies: Readonly<Record<string, string>>): string[] =>
  Object.keys(dependencies).flatMap((name) => (name.startsWith(SCOPE) ? [name.slice(SCOPE.length)] : []))

const importedPackages = (modules: Modules, own: string): string[] => {
  const imported = [...modules.values()].flatMap(({ imports }) => imports.map(({ path }) => path?.split('/')[0] ?? own))
  return [...new Set(imported)].filter((name) => name !== own && name !== '..').sort()
}
