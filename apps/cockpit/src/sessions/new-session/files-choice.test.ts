import { expect, test } from 'vitest'
import { noFiles, workspaceRequest } from './files-choice.ts'

test('[H111] files of a form as the server is asked for them', () => {
  expect(workspaceRequest(noFiles)).toBeUndefined()
  expect(workspaceRequest({ ...noFiles, folder: '' })).toEqual({ mode: 'write' })
  // Without a folder there is nothing to work in.
  expect(workspaceRequest({ folder: '', isOther: true, mode: 'in_place' })).toEqual({ mode: 'write' })
  expect(workspaceRequest({ folder: ' /srv/app ', isOther: true, mode: 'in_place' })).toEqual({
    mode: 'in_place',
    source: '/srv/app',
  })
})
