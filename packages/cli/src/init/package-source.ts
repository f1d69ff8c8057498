// How to install this version in a new project. It is not on npm yet, so a tarball installation is repeated with its tarball.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { packageFolder } from '@bridle/system/package-folder'

export type PackageSource =
  | { readonly kind: 'registry'; readonly version: string }
  | { readonly kind: 'tarball'; readonly file: string }
  | { readonly kind: 'unpacked'; readonly checkout: string }
  | { readonly kind: 'unknown'; readonly version: string }

export const packageSource = (folder: string = packageFolder): PackageSource => {
  const { name, version } = readJson<{ name: string; version: string }>(join(folder, 'package.json'))
  const holder = dirname(resolve(folder))
  if (basename(holder) === 'packages') return packed(dirname(holder), `${name}-${version}.tgz`)
  // npm records here what it installed, also in the cache that `npx <tarball>` uses.
  const lock = join(holder, '.package-lock.json')
  if (!existsSync(lock)) return { kind: 'unknown', version }
  const { packages } = readJson<{ packages: Record<string, { resolved?: string } | undefined> }>(lock)
  const { resolved = '' } = packages[`node_modules/${name}`] ?? {}
  if (!resolved.startsWith('file:')) return { kind: 'registry', version }
  const file = resolve(dirname(holder), decodeURI(resolved.slice('file:'.length)))
  return existsSync(file) ? { kind: 'tarball', file } : { kind: 'unknown', version }
}

const packed = (checkout: string, name: string): PackageSource => {
  const file = join(checkout, name)
  return existsSync(file) ? { kind: 'tarball', file } : { kind: 'unpacked', checkout }
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T
