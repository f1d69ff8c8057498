// Regenerates what follows from tables of the code, parts of docs and the calls of the client: `npm run docs`. A test fails when they are stale.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogue, EVENT_TYPES, type EventType, type EventWire } from '@bridle/events/catalogue'
import { schemas } from '@bridle/events/schemas'
import { apiPages } from './api-report.ts'
import { entryDeclarations, publicDeclarations, readDeclarations } from './build-declarations.ts'
import { callsFile, clientCalls } from './client-calls.ts'
import { publishOutput } from './package-output.ts'
import { regenerateSettings } from './settings-page.ts'

const packageFolder = fileURLToPath(new URL('../packages/bridle', import.meta.url))
export const apiFolder = fileURLToPath(new URL('../docs/api', import.meta.url))
export const settingsPage = new URL('../docs/settings.md', import.meta.url)
export const eventsPage = new URL('../docs/protocol/events.md', import.meta.url)

/** The page with its generated part made anew; everything outside the markers is left alone. */
export const regeneratePage = (page: string): string => {
  const [before, rest] = split(page, '<!-- events: begin -->')
  const [, after] = split(rest, '<!-- events: end -->')
  return `${before}<!-- events: begin -->\n\n${table('seed')}\n\n### Ours\n\nAlso shown. A client of the contract passes over them.\n\n${table('bridle')}\n\n### Facts\n\nInternal: folds read them, no client sees them.\n\n${table('internal')}\n\n<!-- events: end -->${after}`
}

const split = (text: string, marker: string): [string, string] => {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`The page lacks the marker ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}

const table = (wire: EventWire): string => {
  const types = EVENT_TYPES.filter((type) => catalogue[type].wire === wire)
  return [
    '| event | tier | persisted | said by | payload | for |',
    '| --- | --- | --- | --- | --- | --- |',
    ...types.map((type) => {
      const { tier, persisted, source, role } = catalogue[type]
      return `| \`${type}\` | ${tier} | ${persisted ? 'yes' : 'no'} | ${source} | ${fields(type)} | ${role} |`
    }),
  ].join('\n')
}

/** `name` is required, `name?` may be missing. Other fields pass through untouched. */
const fields = (type: EventType): string => {
  const { entries } = schemas[type] as unknown as { entries: Record<string, { type: string }> }
  return Object.entries(entries)
    .map(([name, schema]) => `\`${name}${schema.type === 'optional' || schema.type === 'nullish' ? '?' : ''}\``)
    .join(' ')
}

/** The declarations that would be published now, without a build. */
const declarations = (manifest: { readonly exports: object }): Map<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-docs-'))
  try {
    const [emitted, published] = [join(folder, 'emitted'), join(folder, 'published')]
    const options = ['--declaration', '--emitDeclarationOnly', '--outDir', emitted]
    execFileSync('tsc', ['-p', join(packageFolder, 'tsconfig.build.json'), ...options], { stdio: 'inherit' })
    publishOutput(emitted, published)
    return publicDeclarations(readDeclarations(published), entryDeclarations(manifest))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  writeFileSync(callsFile, clientCalls())
  writeFileSync(eventsPage, regeneratePage(readFileSync(eventsPage, 'utf8')))
  writeFileSync(settingsPage, regenerateSettings(readFileSync(settingsPage, 'utf8')))
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const pages = apiPages(declarations(manifest), manifest)
  rmSync(apiFolder, { recursive: true, force: true })
  mkdirSync(apiFolder)
  for (const [name, text] of pages) writeFileSync(join(apiFolder, name), text)
}
