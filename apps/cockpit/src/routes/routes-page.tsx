// Every route of the server, from its own description: what it takes, a form to send it, and the answer.
import { useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { type ApiRoute, routeGroups } from './route.ts'
import { RouteDetail } from './route-detail.tsx'
import './routes.css'

const isFound = ({ method, path, summary }: ApiRoute, text: string): boolean =>
  `${method} ${path} ${summary}`.toLowerCase().includes(text.toLowerCase())

/** A route that can be sent as it stands: it asks for nothing and changes nothing. */
const firstRoute = (routes: readonly ApiRoute[]): ApiRoute | undefined =>
  routes.find(
    ({ method, path, isStream, isSocket }) => method === 'GET' && !path.includes('{') && !isStream && !isSocket,
  )

const RoutesPage = () => {
  const { client } = useServer()
  const [params, setParams] = useSearchParams()
  const isPhone = useIsPhone()
  const { data, error } = useLoaded('openapi', () => client.openapi())
  const groups = useMemo(() => (data ? routeGroups(data) : []), [data])
  const text = params.get('search') ?? ''
  const id = params.get('route')
  const all = groups.flatMap(({ routes }) => routes)
  const chosen = id === null ? (isPhone ? undefined : firstRoute(all)) : all.find((route) => route.id === id)
  const hrefOf = (route: ApiRoute): string => {
    const next = new URLSearchParams(params)
    next.set('route', route.id)
    return `/routes?${next}`
  }
  const search = (value: string): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete('search')
        else next.set('search', value)
        return next
      },
      { replace: true },
    )
  return (
    <>
      <TopBar>
        {isPhone && chosen ? <Link href="/routes">Routes</Link> : <h1>Routes</h1>}
        {isPhone && chosen && (
          <>
            <span className="sep">/</span>
            <h1 className="trunc">{chosen.path}</h1>
          </>
        )}
      </TopBar>
      <div className="page routes-page">
        {(!isPhone || !chosen) && (
          <nav className="routes-list scroll" aria-label="Routes">
            <label className="field routes-search">
              <Icon name="search" size={14} />
              <span className="vh">Search routes</span>
              <input
                type="search"
                placeholder="Search routes"
                value={text}
                onChange={(event) => search(event.target.value)}
              />
            </label>
            {groups.map(({ tag, description, routes }) => {
              const found = routes.filter((route) => isFound(route, text))
              if (found.length === 0) return null
              return (
                <div key={tag}>
                  <h2 className="small" title={description}>
                    {tag}
                  </h2>
                  {found.map((route) => (
                    <Link
                      key={route.id}
                      href={hrefOf(route)}
                      title={route.summary}
                      aria-current={route === chosen ? 'page' : undefined}
                    >
                      <span className={`method m-${route.method.toLowerCase()}`}>{route.method}</span>
                      <span className="mono small trunc">{route.path}</span>
                    </Link>
                  ))}
                </div>
              )
            })}
          </nav>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reachable by key */}
        <section className="scroll grow route-pane" aria-label="Route" tabIndex={0}>
          {!data && !error && <Skeleton />}
          {error && (
            <Screen icon="triangle-alert" title="The routes could not be loaded">
              <p>{visibleText(error.message)}</p>
            </Screen>
          )}
          {chosen && <RouteDetail key={chosen.id} route={chosen} />}
          {data && id !== null && !chosen && (
            <Screen icon="search-x" title="This server has no such route">
              <p>
                <Link href="/routes">All routes</Link> of this server are one click away.
              </p>
            </Screen>
          )}
        </section>
      </div>
    </>
  )
}

export default RoutesPage
