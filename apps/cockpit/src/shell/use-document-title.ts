// The number of open approvals stands in the title, so that it is seen from another tab.
import { useEffect } from 'react'
import { useLive } from '../server/server-context.tsx'

export const useDocumentTitle = (): void => {
  const waiting = useLive((state) => state.approvals.length)
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '')
    document.title = waiting > 0 ? `(${waiting}) ${title}` : title
  }, [waiting])
}
