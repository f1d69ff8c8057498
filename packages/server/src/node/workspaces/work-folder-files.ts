// A runner's own work folder, which started empty with its sandbox.
import { realpath } from 'node:fs/promises'
import type { WorkFiles, WorkFilesAnswer } from '@bridle/runners/server/work-files'
import { compareFolder, type FilesPlace, listFolder, readFile } from './folder-files.ts'

export const workFolderFiles = (folder: string): WorkFiles => {
  const inPlace = async (use: (place: FilesPlace) => Promise<WorkFilesAnswer>): Promise<WorkFilesAnswer> => {
    const root = await realpath(folder).catch(() => null)
    return root === null
      ? { refused: 'not_found', message: 'The work folder does not exist yet.' }
      : use({ root, kind: 'empty', memory: null })
  }
  return {
    compare: () => inPlace(compareFolder),
    list: (path) => inPlace((place) => listFolder(place, path)),
    read: (path, version) => inPlace((place) => readFile(place, path, version)),
  }
}
