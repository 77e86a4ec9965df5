// Requests to the service. The token, where one is needed, comes with the address (#token=...) and stays in this tab.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) sessionStorage.setItem("token", given);

/** Send a request; an error carries the sentence of the problem. */
export async function api(method, path, body) {
  const token = sessionStorage.getItem("token");
  const headers = { ...(body && { "Content-Type": "application/json" }), ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || `the service answered ${answer.status}`);
  }
  return answer.status === 204 ? null : answer.headers.get("Content-Type").includes("json") ? answer.json() : answer.text();
}

export const site = (name, rest = "") => `/v1/sites/${encodeURIComponent(name)}${rest}`;
