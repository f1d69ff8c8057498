import { expect, test } from 'vitest'
import { filesToRepeat, withoutFiles } from './run-tests.ts'

test('many failed files are no accident, and none of them is run once more', () => {
  expect(filesToRepeat({ files: ['a.test.ts', 'b.test.ts'], strayErrors: 0 })).toEqual(['a.test.ts', 'b.test.ts'])
  expect(filesToRepeat({ files: ['a', 'b', 'c', 'd', 'e'], strayErrors: 0 })).toEqual([])
  expect(filesToRepeat({ files: ['a.test.ts'], strayErrors: 1 })).toEqual([])
})

test('options stay, and files are named anew', () => {
  const args = ['fuzz/', '--testTimeout=9', '--project', 'pages', '--config', 'a.config.ts', 'b.test.ts']
  expect(withoutFiles(args)).toEqual(['--testTimeout=9', '--project', 'pages', '--config', 'a.config.ts'])
})
