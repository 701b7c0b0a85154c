/** @param {Promise<object>} computing */
export async function show(computing) {
  const computed = await computing.catch(({ code, message }) => ({ error: `${code} ${message}` }));
  document.querySelector("#report").textContent = JSON.stringify(computed);
}
