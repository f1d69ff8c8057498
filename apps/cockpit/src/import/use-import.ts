// The server's side of the page: it checks the file as soon as it is open, and imports it once somebody says so.
import type { ImportReceipt } from 'bridle/client'
import { plural } from 'bridle/words'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { OpenFile } from '../replay/replay-file.ts'
import { useServer } from '../server/server-context.tsx'
import { useCan } from '../server/use-can.ts'
import { useLoaded } from '../server/use-loaded.ts'
import { sessionPath } from '../shell/paths.ts'
import { showToast } from '../ui/toast.tsx'
import { type ImportProblem, importProblem } from './import-problem.ts'

export interface Import {
  /** The credential may not import; the file is only read here. */
  readonly isForbidden: boolean
  readonly isChecking: boolean
  readonly isBusy: boolean
  readonly receipt: ImportReceipt | null
  readonly problem: ImportProblem | null
  readonly renames: boolean
  readonly setRenames: (renames: boolean) => void
  readonly start: () => Promise<void>
}

export const useImport = ({ file }: OpenFile): Import => {
  const { client } = useServer()
  const [, navigate] = useLocation()
  const [renames, setRenames] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error | null>(null)
  const [canOperate, canApprove] = [useCan('operate'), useCan('approve')]
  const isForbidden = !(canOperate && canApprove)
  const check = useLoaded(isForbidden ? null : `check ${renames}`, () =>
    client.importSessions(file, { check: true, rename: renames }),
  )
  const start = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const { sessions } = await client.importSessions(file, { rename: renames })
      const [first] = sessions
      const isNew = sessions.some(({ existing }) => !existing)
      showToast({ text: isNew ? `${plural(sessions.length, 'session')} imported.` : 'The file is here already.' })
      navigate(sessions.length === 1 && first ? sessionPath(first) : '/')
    } catch (error) {
      setFailure(error as Error)
      setBusy(false)
    }
  }
  const error = failure ?? check.error
  return {
    ...{ isForbidden, isBusy, renames, start },
    isChecking: check.isLoading,
    receipt: check.data,
    problem: error && importProblem(error),
    setRenames: (next) => {
      setFailure(null)
      setRenames(next)
    },
  }
}
