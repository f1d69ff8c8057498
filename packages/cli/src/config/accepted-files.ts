// `--accept FILE` confirms a file that changed during an in-place session, so that it is loaded.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { packageOf, trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import { usageError } from '../command/command.ts'
import { writeRemark } from '../terminal/output.ts'
import { dataFolderOf } from './default-data.ts'

export interface TrustFlags {
  readonly accept?: readonly string[]
  readonly data?: string
}

export const acceptFiles = ({ accept = [], data }: TrustFlags): void => {
  for (const file of accept) {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile() && !(found?.isDirectory() && packageOf(resolve(file)) !== null))
      throw usageError(`--accept: there is no file ${file}.`)
    const isAccepted = trustedFiles(dataFolderOf(data === undefined ? {} : { data })).accept(file)
    if (!isAccepted) writeRemark(`--accept: ${file} needs no confirmation.`)
  }
}
