import { CopyFault } from '@bridle/runners/sandboxes/folders/folder-copy'
import { expect, test } from 'vitest'
import { problemOf, WorkspaceFault, withAdvice } from './workspace-fault.ts'

const advice = 'Name a smaller folder, or make this one a repository of git with a commit.'
const missing = Object.assign(new Error('ENOENT: /srv/secret'), { code: 'ENOENT' })
test.each<[string, unknown, string]>([
  ['too many files', new CopyFault('too_many', 'More than 3 files.'), `More than 3 files. ${advice}`],
  ['too many bytes', new CopyFault('too_large', 'More than 3 bytes.'), `More than 3 bytes. ${advice}`],
  ['a folder that was replaced', new CopyFault('changed', 'The folder was replaced.'), 'The folder was replaced.'],
  ['a fault with words of its own', new WorkspaceFault('Not here.'), 'Not here.'],
  ['an error that names a path', missing, 'The workspace could not be prepared (ENOENT).'],
  ['anything else', new Error('x'), 'The workspace could not be prepared.'],
])('[F82] %s while a source is copied', (_name, error, expected) => expect(problemOf(withAdvice(error))).toBe(expected))
