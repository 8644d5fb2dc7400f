import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {filesByIds} from '#lib/service/store/files/files.js'
import {hasRole, roleOn} from '#lib/service/store/sharing/access.js'
import {
  type EffectivePermission,
  effectivePermissions,
  type Grant,
} from '#lib/service/store/sharing/permissions.js'
import {nameHtml, nameText, timeHtml} from './format.js'
import {itemPath} from './paths.js'
import type {FileItem} from './records.js'
import {dataTable} from './table.js'
import type {Visitor} from './visitor.js'

/** Shows who has access to an item and from where. As in the API, only writers see the access of others. */
export function accessSection(visitor: Visitor, {id}: FileItem): Html {
  const {store, user, now} = visitor
  const all = effectivePermissions(store, id, now)
  const role = roleOn(
    store,
    user,
    store.read(() => filesByIds(store, [id]).get(id))!,
    now,
  )
  const isWriter = role !== undefined && hasRole(role, 'writer')
  const shown = isWriter ? all : all.filter(permission => permission.id === user.permission_id)
  const sources = filesByIds(
    store,
    shown.flatMap(({grants}) => grants.map(({from}) => from)),
  )
  const rows = shown.map(permission => [
    principal(permission),
    html`${permission.role}${
      permission.expiresAt !== null &&
      html` until ${timeHtml(new Date(permission.expiresAt).toISOString())}`
    }`,
    html`${sourcesOf(permission).map((grant, at) => html`${at > 0 && ', '}${source(grant)}`)}`,
  ])

  function source({from, inherited}: Grant): Html | string {
    if (!inherited) return 'this item'
    const file = sources.get(from)
    return file && roleOn(store, user, file, now)
      ? html`inherited from <a href="${itemPath(from)}">${nameHtml(file.title)}</a>`
      : 'inherited from a parent folder'
  }

  return html`<section>
    <h2 id="access">Access</h2>
    ${dataTable(
      isWriter ? 'Everyone with access' : 'Your access; only writers can see who else has access',
      [{name: 'Who'}, {name: 'Role'}, {name: 'From'}],
      rows,
    )}
  </section>`
}

/** Returns the grants that give a principal its role. */
function sourcesOf({role, grants}: EffectivePermission): readonly Grant[] {
  // The role of an owner comes from nowhere else.
  return grants.filter(grant => grant.role === role && (role !== 'owner' || !grant.inherited))
}

/** Shows the recipient of access. */
function principal({type, name, email, domain, withLink}: EffectivePermission): Html {
  const link = withLink ? ' who has the link' : ''
  if (type === 'anyone') return html`Anyone${link}`
  if (type === 'domain') return html`Everyone at ${nameText(domain ?? '')}${link}`
  return html`${nameHtml(name ?? email ?? '')}${name !== null && email !== null && html` <small>${nameText(email)}</small>`}`
}
