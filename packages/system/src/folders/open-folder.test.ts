import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { closeFolder, openFileIn, openInside, openRoot } from './open-folder.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-open-folder-')))
mkdirSync(join(root, 'work', 'inner'), { recursive: true })
mkdirSync(join(root, 'outside'))
for (const place of ['work', 'outside']) writeFileSync(join(root, place, 'file'), place)
symlinkSync('../outside', join(root, 'work', 'folder-link'))
symlinkSync('../outside/file', join(root, 'work', 'file-link'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('[N144] a link that appears in the place of a file or a folder is not followed', () => {
  const folder = openRoot(join(root, 'work'))
  try {
    closeSync(openFileIn(folder, 'file'))
    closeFolder(openInside(folder, 'inner'))
    expect(() => openFileIn(folder, 'file-link')).toThrow('ELOOP')
    expect(() => openInside(folder, 'folder-link')).toThrow(/ELOOP|ENOTDIR/)
    expect(() => openRoot(join(root, 'work', 'folder-link'))).toThrow(/ELOOP|ENOTDIR/)
  } finally {
    closeFolder(folder)
  }
})
